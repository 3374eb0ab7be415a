#include "files.h"

#include "llvm/Support/Path.h"

using namespace llvm;

const char Files::ID = 0;

namespace {

/// A file whose content is at hand.
class Loaded : public vfs::File {
public:
  Loaded(vfs::Status status, std::unique_ptr<MemoryBuffer> buffer)
      : status_(std::move(status)), buffer_(std::move(buffer)) {}
  ErrorOr<vfs::Status> status() override { return status_; }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &, int64_t, bool, bool) override {
    return std::move(buffer_);
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status status_;
  std::unique_ptr<MemoryBuffer> buffer_;
};

/// The name of a file in memory, without dots.
std::string in_memory(const Twine &path) {
  SmallString<128> text;
  path.toVector(text);
  if (!text.starts_with("<") && !text.starts_with("/<"))
    return {};
  sys::path::remove_dots(text, /*remove_dot_dot=*/true);
  return std::string(text);
}

vfs::Status made_up(const Twine &path, uint64_t size, sys::fs::file_type type) {
  // Equal names are the same file; a real device has no such number.
  const uint64_t device = ~uint64_t(0);
  return vfs::Status(path, sys::fs::UniqueID(device, hash_value(path.str())), sys::TimePoint<>(), 0, 0, size, type,
                     sys::fs::all_read);
}

} // namespace

Files::Files(StringRef folder, ArrayRef<OxiclFile> files, OxiclInclude include, const Sink &sink)
    : RTTIExtends(vfs::createPhysicalFileSystem()), include_(include), sink_(sink) {
  // If the folder is gone, nothing in it is found.
  (void)setCurrentWorkingDirectory(folder);
  for (const OxiclFile &file : files) {
    SmallString<128> name(StringRef(file.name, file.name_size));
    sys::path::remove_dots(name, /*remove_dot_dot=*/true);
    memory_[name] = StringRef(file.text, file.text_size);
  }
}

void Files::list(StringRef folder) {
  SmallString<128> real;
  // A folder that is not there has no files.
  if (!ProxyFileSystem::getRealPath(folder, real))
    listed_.emplace_back(real);
}

bool Files::is_listed(StringRef real) const {
  for (StringRef folder : listed_) {
    StringRef rest = real;
    // The root ends with its slash, other folders do not.
    if (rest.consume_front(folder) && (rest.empty() || rest.starts_with("/") || folder.ends_with("/")))
      return true;
  }
  return false;
}

bool Files::may_read(const Twine &path) {
  if (include_ == OXICL_INCLUDE_ALL)
    return true;
  if (include_ == OXICL_INCLUDE_NONE)
    return false;
  SmallString<128> real;
  if (!ProxyFileSystem::getRealPath(path, real) && is_listed(real))
    return true;
  record(path.str(), nullptr);
  return false;
}

ErrorOr<vfs::Status> Files::status(const Twine &path) {
  std::string name = in_memory(path);
  if (name.empty()) {
    if (!may_read(path))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    auto result = ProxyFileSystem::status(path);
    if (!result)
      record(path.str(), nullptr);
    return result;
  }
  auto found = memory_.find(name);
  if (found != memory_.end())
    return made_up(path, found->second.size(), sys::fs::file_type::regular_file);
  name += '/';
  for (const auto &entry : memory_)
    if (entry.getKey().starts_with(name))
      return made_up(path, 0, sys::fs::file_type::directory_file);
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

bool Files::exists(const Twine &path) { return bool(status(path)); }

ErrorOr<std::unique_ptr<vfs::File>> Files::openFileForRead(const Twine &path) {
  std::string name = in_memory(path);
  if (!name.empty()) {
    auto found = memory_.find(name);
    if (found == memory_.end())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return std::make_unique<Loaded>(made_up(path, found->second.size(), sys::fs::file_type::regular_file),
                                    MemoryBuffer::getMemBufferCopy(found->second, path));
  }
  if (!may_read(path))
    return std::make_error_code(std::errc::no_such_file_or_directory);
  // What is neither a file nor a folder (a pipe, a device) may never end.
  auto kind = ProxyFileSystem::status(path);
  if (kind && kind->getType() != sys::fs::file_type::regular_file)
    return std::make_error_code(std::errc::invalid_argument);
  auto file = ProxyFileSystem::openFileForRead(path);
  if (!file) {
    record(path.str(), nullptr);
    return file.getError();
  }
  // A link may have been changed since the path was looked at: what counts is the file that is open.
  auto real = (*file)->getName();
  if (include_ == OXICL_INCLUDE_LISTED && !(real && is_listed(*real)))
    return std::make_error_code(std::errc::no_such_file_or_directory);
  auto status = (*file)->status();
  if (!status)
    return status.getError();
  auto buffer = (*file)->getBuffer(path);
  if (!buffer)
    return buffer.getError();
  record(path.str(), buffer->get());
  return std::make_unique<Loaded>(*status, std::move(*buffer));
}

vfs::directory_iterator Files::dir_begin(const Twine &path, std::error_code &error) {
  if (may_read(path))
    return ProxyFileSystem::dir_begin(path, error);
  error = std::make_error_code(std::errc::no_such_file_or_directory);
  return {};
}

std::error_code Files::getRealPath(const Twine &path, SmallVectorImpl<char> &result) {
  if (may_read(path))
    return ProxyFileSystem::getRealPath(path, result);
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

void Files::record(StringRef path, const MemoryBuffer *content) {
  SmallString<128> absolute(path);
  if (makeAbsolute(absolute) || !seen_.insert(std::string(absolute)).second)
    return;
  if (content) {
    sink_(OXICL_FILE, absolute);
    sink_(OXICL_CONTENT, content->getBuffer());
  } else {
    sink_(OXICL_ABSENT, absolute);
  }
}
