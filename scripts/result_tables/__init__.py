# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/results is made of: rows of results, tables made of them, and the pages that show the tables."""
