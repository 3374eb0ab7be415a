// The file system that clang sees: files in memory first, then those of the machine that may be read, with a record of what
// was looked at.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "shim.h"

/// Files in memory have names that start with `<`: no file of the machine is asked for by those. Directories of such names
/// exist if a file is in them.
class Files : public llvm::RTTIExtends<Files, llvm::vfs::ProxyFileSystem> {
public:
  static const char ID;

  Files(llvm::StringRef folder, llvm::ArrayRef<OxiclFile> files, OxiclInclude include, const Sink &sink);

  /// Says that files below a folder may be read, where only listed ones may.
  void list(llvm::StringRef folder);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  bool exists(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override;
  std::error_code getRealPath(const llvm::Twine &path, llvm::SmallVectorImpl<char> &result) override;

private:
  llvm::StringMap<llvm::StringRef> memory_;
  std::set<std::string> seen_;
  OxiclInclude include_;
  /// Real paths of the folders that `list` was called with.
  std::vector<std::string> listed_;
  Sink sink_;

  /// Whether a file that has this real path may be read.
  bool is_listed(llvm::StringRef real) const;
  /// Whether something is at a path and may be read. The answer for what may not is the same as for what is not there, so
  /// that sources cannot tell which files exist. What the answer depends on is recorded.
  bool may_read(const llvm::Twine &path);
  void record(llvm::StringRef path, const llvm::MemoryBuffer *content);
};
