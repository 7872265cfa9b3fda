// SPDX-License-Identifier: BSD-3-Clause
//
// Downloads without a network: the addresses are file:// ones.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "data/download.hpp"
#include "data/fetch.hpp"
#include "data/files.hpp"
#include "data/remote_set.hpp"
#include "data/workplace.hpp"
#include "krica/data/dataset.hpp"
#include "runtime/digest.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using support::Bytes;
using support::Folder;
using support::message_of;
using ::testing::HasSubstr;

std::string address_of(const fs::path& path) {
  std::string address = "file://";
  for (const char c : path.string()) address += c == ' ' ? "%20" : std::string(1, c);
  return address;
}

std::string md5(const Bytes& bytes) {
  Digest digest(Digest::Kind::kMd5);
  digest.add(bytes.data(), bytes.size());
  return digest.finish();
}

struct Entry {
  std::string name;
  std::string content = "content";
};

/// A tar.gz or zip with these files.
void write_archive(const fs::path& path, const std::vector<Entry>& entries, bool zip) {
  archive* writer = archive_write_new();
  if (zip) {
    archive_write_set_format_zip(writer);
  } else {
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_pax_restricted(writer);
  }
  archive_write_open_filename(writer, path.c_str());
  for (const auto& [name, content] : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
}

TEST(Fetch, VerifiesAndRenames) {
  const Folder folder;
  const Bytes content = support::noise(100000, 1);
  support::write_file(folder / "source", content);
  Index reported = 0;
  const Context context({.progress = [&](const Progress& p) { reported = p.step; }});
  fetch(context, address_of(folder / "source"), md5(content), folder / "target");
  EXPECT_EQ(support::read_file(folder / "target"), content);
  EXPECT_FALSE(fs::exists(folder / "target.part"));
  EXPECT_EQ(reported, 100000);
  fs::remove(folder / "source");  // what is there already is not fetched again
  EXPECT_NO_THROW(fetch(context, address_of(folder / "source"), md5(content), folder / "target"));
}

TEST(Fetch, ContinuesAPart) {
  const Folder folder;
  const Bytes content = support::noise(100000, 1);
  support::write_file(folder / "source", content);
  for (const std::size_t size : {std::size_t{1}, std::size_t{60000}, std::size_t{100000}}) {
    Index least = 1 << 30;
    const Context context(
        {.progress = [&](const Progress& p) { least = std::min(least, p.step); }});
    support::write_file(
        folder / "target.part",
        Bytes(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)));
    fetch(context, address_of(folder / "source"), md5(content), folder / "target");
    EXPECT_EQ(support::read_file(folder / "target"), content);
    EXPECT_GE(least, static_cast<Index>(size));
    fs::remove(folder / "target");
  }
}

TEST(Fetch, StartsAgainWhereThePartDoesNotFit) {
  const Folder folder;
  const Bytes content = support::noise(1000, 1);
  support::write_file(folder / "source", content);
  for (const std::size_t size : {500U, 1000U, 5000U}) {
    support::write_file(folder / "target.part", support::noise(size, 2));
    fetch(Context(), address_of(folder / "source"), md5(content), folder / "target");
    EXPECT_EQ(support::read_file(folder / "target"), content);
    fs::remove(folder / "target");
  }
}

TEST(Fetch, RefusesWrongContentAndMissingFiles) {
  const Folder folder;
  support::write_file(folder / "source", support::noise(1000, 1));
  EXPECT_THAT(message_of<DataError>([&] {
                fetch(Context(), address_of(folder / "source"), md5({}), folder / "target");
              }),
              HasSubstr("it must be d41d8cd98f00b204e9800998ecf8427e"));
  EXPECT_FALSE(fs::exists(folder / "target"));
  EXPECT_FALSE(fs::exists(folder / "target.part"));
  EXPECT_THROW(fetch(Context(), address_of(folder / "none"), md5({1}), folder / "target"),
               TransferError);
  EXPECT_THROW(fetch(Context(), "ftp://localhost/x", md5({1}), folder / "target"), TransferError);
}

TEST(Fetch, LeavesAFileOfTheUserAlone) {
  const Folder folder;
  const Bytes own = support::noise(1000, 2);
  support::write_file(folder / "source", support::noise(1000, 1));
  support::write_file(folder / "target", own);
  EXPECT_THAT(message_of<DataError>([&] {
                fetch(Context(), address_of(folder / "source"),
                      md5(support::read_file(folder / "source")), folder / "target");
              }),
              HasSubstr("its md5 is " + md5(own)));
  EXPECT_EQ(support::read_file(folder / "target"), own);
}

/// Nor may a link be taken for the file, even if its content is right.
TEST(Fetch, DoesNotFollowALinkAtThePart) {
  const Folder folder;
  const Bytes content = support::noise(1000, 1);
  support::write_file(folder / "source", content);
  for (const Bytes& there : {Bytes(), Bytes(content.begin(), content.begin() + 500), content}) {
    support::write_file(folder / "victim", there);
    fs::remove(folder / "target.part");
    fs::create_symlink(folder / "victim", folder / "target.part");
    EXPECT_THAT(message_of<IoError>([&] {
                  fetch(Context(), address_of(folder / "source"), md5(content), folder / "target");
                }),
                HasSubstr("target.part: is a symbolic link"));
    EXPECT_EQ(support::read_file(folder / "victim"), there);
    EXPECT_FALSE(fs::exists(folder / "target"));
  }
}

TEST(Fetch, SaysThatTheDirectoryRefusesNotTheAddress) {
  const Folder folder;
  support::write_file(folder / "source", support::noise(10, 1));
  EXPECT_THAT(message_of<IoError>([&] {
                fetch(Context(), address_of(folder / "source"), md5({1}), folder / "no/target");
              }),
              HasSubstr("cannot create"));
}

TEST(Fetch, CanBeCancelledAndKeepsThePart) {
  const Folder folder;
  const Bytes content = support::noise(5000000, 1);
  support::write_file(folder / "source", content);
  const Context* self = nullptr;
  const Context context({.progress = [&](const Progress&) { self->cancel(); }});
  self = &context;
  EXPECT_THROW(fetch(context, address_of(folder / "source"), md5(content), folder / "target"),
               Cancelled);
  EXPECT_TRUE(fs::exists(folder / "target.part"));
  fetch(Context(), address_of(folder / "source"), md5(content), folder / "target");
  EXPECT_EQ(support::read_file(folder / "target"), content);
}

TEST(Unpack, ReadsTarAndZip) {
  const Folder folder;
  for (const bool zip : {false, true}) {
    const fs::path place = folder / (zip ? "zip" : "tar");
    write_archive(folder / "archive", {{"set/a.bin"}, {"set/deep/b.bin"}}, zip);
    unpack(Context(), folder / "archive", place);
    EXPECT_EQ(support::read_file(place / "set/deep/b.bin").size(), 7U);
    EXPECT_TRUE(fs::exists(place / "set/a.bin"));
  }
}

TEST(Unpack, TellsHowFarItIs) {
  const Folder folder;
  write_archive(folder / "archive", {{"set/a.bin", std::string(3000000, 'x')}}, false);
  Index last = 0;
  Index total = 0;
  const Context context({.progress = [&](const Progress& p) {
    EXPECT_GE(p.step, last);
    last = p.step;
    total = p.total;
  }});
  unpack(context, folder / "archive", folder / "place");
  EXPECT_EQ(total, static_cast<Index>(fs::file_size(folder / "archive")));
  EXPECT_GT(last, 0);
  EXPECT_LE(last, total);
}

TEST(Unpack, RefusesNamesOutsideAndBrokenArchives) {
  const Folder folder;
  const auto said = [&] {
    return message_of<DataError>([&] { unpack(Context(), folder / "archive", folder / "place"); });
  };
  write_archive(folder / "archive", {{"../escaped"}}, false);
  EXPECT_THAT(said(), HasSubstr("'../escaped' would be unpacked outside"));
  write_archive(folder / "archive", {{"/etc/escaped"}}, false);
  EXPECT_THAT(said(), HasSubstr("would be unpacked outside"));
  EXPECT_FALSE(fs::exists(folder / "escaped"));
  write_archive(folder / "archive", {{"set/a.bin"}, {"set/b.bin"}}, false);
  Bytes cut = support::read_file(folder / "archive");
  cut.resize(cut.size() / 2);
  support::write_file(folder / "archive", cut);
  EXPECT_THAT(said(), HasSubstr("[unpack] archive:"));
  support::write_file(folder / "archive", std::string("no archive"));
  EXPECT_THAT(said(), HasSubstr("[unpack] archive:"));
}

TEST(Unpack, StartsNoProgram) {
  const Folder folder;
  support::write_file(folder / "bin/grzip", "#!/bin/sh\ntouch " + (folder / "started").string());
  fs::permissions(folder / "bin/grzip", fs::perms::owner_all);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", ((folder / "bin").string() + ":" + before).c_str(), 1);
  support::write_file(folder / "archive", std::string("GRZipII\0\2\4:)", 12) + "content");
  EXPECT_THAT(
      message_of<DataError>([&] { unpack(Context(), folder / "archive", folder / "place"); }),
      HasSubstr("[unpack] archive:"));
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_FALSE(fs::exists(folder / "started"));
}

TEST(Download, KnowsItsSets) {
  EXPECT_EQ(downloads().size(), 5U);
  for (const DownloadInfo& set : downloads()) {
    EXPECT_GT(set.images, 0) << set.name;
    EXPECT_GT(set.megabytes, 0) << set.name;
    for (const std::string& text : {set.description, set.licence, set.citation})
      EXPECT_FALSE(text.empty()) << set.name;
    EXPECT_FALSE(set.addresses.empty()) << set.name;
  }
  for (const RemoteSet& set : remote_sets()) {
    for (const RemoteFile& file : set.files) EXPECT_EQ(file.md5.size(), 32U) << file.name;
  }
  EXPECT_THAT(message_of<InvalidArgument>([] { download(Context(), "imagenet", "x"); }),
              HasSubstr("known: fashion-mnist, mnist, cifar10, stl10, caltech101"));
}

TEST(Download, RefusesAMirrorWithOtherFiles) {
  const Folder folder;
  write_archive(folder / "cifar-10-binary.tar.gz", {{"cifar-10-batches-bin/x"}}, false);
  EXPECT_THAT(message_of<DataError>([&] {
                download(Context(), "cifar10", folder / "out", {address_of(folder.path())});
              }),
              HasSubstr("c32a1d4ab5d03f1284b67883e8d87530"));
}

TEST(Download, NamesAddressesAndRemedyWhereNothingCanBeReached) {
  const Folder folder;
  RemoteSet set;
  set.addresses = {address_of(folder / "one"), address_of(folder / "two")};
  set.files = {{"images.gz", md5({1})}};
  const std::string said =
      message_of<IoError>([&] { download_set(Context(), set, folder / "place"); });
  EXPECT_THAT(said, HasSubstr(address_of(folder / "one") + "/images.gz"));
  EXPECT_THAT(said, HasSubstr(address_of(folder / "two") + "/images.gz"));
  EXPECT_THAT(said, HasSubstr("put it at " + (folder / "place/images.gz").string()));
  // What was put there by hand is taken.
  support::write_file(folder / "place/images.gz", Bytes{1});
  EXPECT_EQ(download_set(Context(), set, folder / "place"), folder / "place");
  EXPECT_FALSE(fs::exists(folder / "place/images.gz.part"));
}

TEST(Download, AnUnfinishedSetIsNotOpened) {
  const Folder folder;
  support::write_file(folder / "set/train-images-idx3-ubyte", std::string("x"));
  support::write_file(folder / "set/t10k-images-idx3-ubyte.gz.part", std::string("x"));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder / "set"); }),
              HasSubstr("t10k-images-idx3-ubyte.gz.part is an unfinished download"));
  support::write_file(folder / "photos/101_ObjectCategories.part/cat/1.jpg", std::string("x"));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder / "photos"); }),
              HasSubstr("unfinished"));
}

TEST(Download, TriesAddressesInOrderAndUnpacksTwice) {
  const Folder folder;
  fs::create_directories(folder / "mirror");
  write_archive(folder / "inner.tar.gz", {{"images/a/1.txt"}, {"images/b/2.txt"}}, false);
  const Bytes inner = support::read_file(folder / "inner.tar.gz");
  write_archive(folder / "mirror/outer.zip",
                {{"outer/inner.tar.gz", std::string(inner.begin(), inner.end())}}, true);
  RemoteSet set;
  set.addresses = {address_of(folder / "nowhere"), address_of(folder / "mirror")};
  set.files = {{"outer.zip", md5(support::read_file(folder / "mirror/outer.zip"))}};
  set.inner_archive = "outer/inner.tar.gz";
  set.unpacked = "images";
  EXPECT_EQ(download_set(Context(), set, folder / "new/place"), folder / "new/place/images");
  EXPECT_TRUE(fs::exists(folder / "new/place/images/b/2.txt"));
  EXPECT_FALSE(fs::exists(folder / "new/place/images.part"));
  fs::remove_all(folder / "mirror");  // a second call needs nothing
  EXPECT_NO_THROW(download_set(Context(), set, folder / "new/place"));
  EXPECT_THROW(download_set(Context(), set, folder / "other"), IoError);
}

TEST(Download, ReplacesAnUnfinishedDirectoryButNoneOfTheUser) {
  const Folder folder;
  fs::create_directories(folder / "mirror");
  write_archive(folder / "mirror/set.zip", {{"images/a/1.txt"}}, true);
  RemoteSet set;
  set.addresses = {address_of(folder / "mirror")};
  set.files = {{"set.zip", md5(support::read_file(folder / "mirror/set.zip"))}};
  set.unpacked = "images";
  support::write_file(folder / "place/images.part/notes.txt", std::string("own"));
  EXPECT_THAT(message_of<IoError>([&] { download_set(Context(), set, folder / "place"); }),
              HasSubstr("images.part: is in the way"));
  EXPECT_TRUE(fs::exists(folder / "place/images.part/notes.txt"));
  fs::remove_all(folder / "place/images.part");
  const Workplace killed("test", folder / "place/images.part");
  support::write_file(killed / "images/half", std::string("half"));
  download_set(Context(), set, folder / "place");
  EXPECT_TRUE(fs::exists(folder / "place/images/a/1.txt"));
  EXPECT_FALSE(fs::exists(folder / "place/images/half"));
  EXPECT_FALSE(fs::exists(folder / "place/images.part"));
  const Workplace killed_at_the_end("test", folder / "place/images.part");
  download_set(Context(), set, folder / "place");
  EXPECT_FALSE(fs::exists(folder / "place/images.part"));
}

}  // namespace
}  // namespace krica
