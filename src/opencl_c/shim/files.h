// The file system that clang sees: files in memory first, then the machine's, with a record of what was looked at.
#pragma once

#include <set>

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "shim.h"

/// Files in memory have names that start with `<`: no file of the machine is asked for by those. Directories of such names
/// exist if a file is in them.
class Files : public llvm::RTTIExtends<Files, llvm::vfs::ProxyFileSystem> {
public:
  static const char ID;

  Files(llvm::StringRef folder, llvm::ArrayRef<OxiclFile> files, const Sink &sink);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  bool exists(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;

private:
  llvm::StringMap<llvm::StringRef> memory_;
  std::set<std::string> seen_;
  Sink sink_;

  void record(llvm::StringRef path, const llvm::MemoryBuffer *content);
};
