// Object code of one module after another by the same list of passes. LLVM's C API makes the list anew for every module,
// which is a thirtieth of all that a small kernel costs. LLVM is built without exceptions and run-time types, so this is too.

#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

/// The passes, and the bytes that they write.
struct Emitter {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream{bytes};
  legacy::PassManager passes;
};

} // namespace

extern "C" {

/// The passes of a machine, which has to outlive them; null if it makes no object code.
Emitter *oxicl_emitter_new(LLVMTargetMachineRef machine) {
  auto *emitter = new Emitter;
  if (reinterpret_cast<TargetMachine *>(machine)->addPassesToEmitFile(
          emitter->passes, emitter->stream, nullptr, CodeGenFileType::ObjectFile)) {
    delete emitter;
    return nullptr;
  }
  return emitter;
}

/// Makes an object file of a module, which has the machine's data layout, and changes the module. The bytes stay until the
/// next call.
const char *oxicl_emitter_run(Emitter *emitter, LLVMModuleRef module, size_t *size) {
  emitter->bytes.clear();
  emitter->passes.run(*unwrap(module));
  *size = emitter->bytes.size();
  return emitter->bytes.data();
}

void oxicl_emitter_delete(Emitter *emitter) { delete emitter; }
}
