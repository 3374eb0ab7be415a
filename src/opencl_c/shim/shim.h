// What Rust calls, and what the parts of the shim share. LLVM is built without exceptions and run-time types, so the shim
// is too; nothing here throws, and Rust's callback does not unwind.
#pragma once

#include <cstddef>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallInst;
class LLVMContext;
class Module;
class Type;
}

extern "C" {

/// A file in memory.
struct OxiclFile {
  const char *name;
  size_t name_size;
  const char *text;
  size_t text_size;
};

/// What a piece of an answer is.
enum OxiclPiece {
  /// The module, in bytes.
  OXICL_SPIRV = 0,
  /// Text of the build log.
  OXICL_LOG = 1,
  /// A fact on a kernel: fields that each end with a null character, the first of them the kind.
  OXICL_FACT = 2,
  /// The absolute path of a file that was read; its content follows.
  OXICL_FILE = 3,
  /// Content of the file named before.
  OXICL_CONTENT = 4,
  /// The absolute path of a file that was looked for and is not there.
  OXICL_ABSENT = 5,
  /// Nothing but that the text depends on the clock: `__TIME__` was used, or a relative of it. It may come many times.
  OXICL_TIME = 6,
  /// The name of a file that OpLine means by the number of such pieces before.
  OXICL_LINE_FILE = 7,
  /// How many tokens of the preprocessed source have been read so far: four bytes. It may come many times.
  OXICL_SIZE = 8,
  /// Clang's module in LLVM's bitcode: what the module in SPIR-V lacks of the program is translated of it when it is needed.
  OXICL_REST = 9,
};

/// Which files of the machine may be read. The numbers are those of `Include` in Rust.
enum OxiclInclude {
  OXICL_INCLUDE_ALL = 0,
  /// Those below the folders that `-I` lists.
  OXICL_INCLUDE_LISTED = 1,
  OXICL_INCLUDE_NONE = 2,
};

/// How to compile.
struct OxiclHow {
  /// Nothing is linked with the program: what its kernels do not reach may go.
  bool whole;
  /// What the kernels do not reach may be left for later, if that is much.
  bool defers;
  /// This process does not explain on standard error from now on what it dies of.
  bool rehearsal;
  OxiclInclude include;
};

typedef void (*OxiclGive)(void *owner, int piece, const char *data, size_t size);

/// Sets up LLVM's SPIR-V target, once per process. `extensions` is a value of its option spirv-ext.
void oxicl_clang_start(const char *extensions);

/// Compiles. `arguments` are those of clang's front end (`-cc1`), the input excluded; `files[0]` is the program, others are
/// found by their name. True if there is a module.
bool oxicl_clang_compile(const char *const *arguments, size_t argument_count, const OxiclFile *files, size_t file_count,
                         const char *folder, OxiclHow how, void *owner, OxiclGive give);

/// Translates all of a module in bitcode that a compilation gave as its rest. True if there is a module.
bool oxicl_clang_translate(const char *bitcode, size_t size, OxiclHow how, void *owner, OxiclGive give);
}

/// Where pieces go.
struct Sink {
  void *owner;
  OxiclGive function;
  void operator()(OxiclPiece piece, llvm::StringRef text) const { function(owner, piece, text.data(), text.size()); }
};

/// Makes of clang's module what the SPIR-V target translates well, and tells the facts on its kernels. If something cannot
/// be translated at all, the reasons are added to `errors`. Of a whole program, functions that its kernels do not reach go.
void clean_up(llvm::Module &module, bool whole, const Sink &sink, std::string &errors);

/// The instructions of functions that no kernel of a module reaches; none if it has no kernel.
size_t count_unreached(const llvm::Module &module);

/// What OpenCL C calls a type of numbers, those of kernels' hints among them; integers have no signs in LLVM.
std::string name_of(llvm::Type *type, bool has_sign);

/// Replaces calls of built-in functions that the SPIR-V target does not translate.
void replace_builtins(llvm::Module &module);

/// Whether a call of a function of this name, with these mangled types, is one that is replaced: it has the types that its
/// replacement needs.
bool is_replaced(const llvm::CallInst &call, llvm::StringRef name, llvm::StringRef types);

/// Gives scopes of memory their numbers in a context, the same in each: the SPIR-V target keeps those of its first.
void number_scopes(llvm::LLVMContext &context);

/// Makes SPIR-V of a module that has been cleaned up.
bool emit(llvm::Module &module, const Sink &sink);
