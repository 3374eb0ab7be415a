// Object code of one module after another by the same list of passes. LLVM's C API makes the list anew for every module,
// which is a thirtieth of all that a small kernel costs. LLVM is built without exceptions and run-time types, so this is too.

#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

/// Passes that find nothing to do in any kernel. Each costs little, but it costs: whatever a pass does, the list looks through
/// all analyses before and behind it.
constexpr StringRef NEEDLESS[] = {
    // No matrix registers.
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Tile Register Pre-configure",
    "Tile Register Configure",
    "X86 Lower Tile Copy",
    // No garbage collection, exceptions, variables of threads, indirect branches, traces and patches.
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Analyze Machine Code For Garbage Collection",
    "Fixup Statepoint Caller Saved",
    "StackMap Liveness Analysis",
    "Exception handling preparation",
    "Contiguously Lay Out Funclets",
    "Local Dynamic TLS Access Clean-up",
    "Expand indirectbr instructions",
    "Prepare callbr",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Insert fentry calls",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "Safe Stack instrumentation pass",
    "Check CFA info and insert CFI instructions if needed",
    // No calls of the C library, and no other languages.
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "Partially inline calls to library functions",
    "Replace intrinsics with calls to vector library",
    "ObjC ARC contraction",
    // Other processors, 32 bits, and registers that nothing of OpenCL is in.
    "X86 PIC Global Base Reg Initialization",
    "Argument Stack Rebase",
    "Local Stack Slot Allocation",
    "X86 FP Stackifier",
    "X86 insert wait instruction",
    "X86 Atom pad short functions",
    "X86 Suppress APX features for relocation",
    "Post RA top-down list latency scheduler",
    // What functions do not ask for.
    "X86 speculative load hardening",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Return Thunks",
    "Insert KCFI indirect call checks",
    // No debugger, profile or sanitizer.
    "Remove Redundant DEBUG_VALUE analysis",
    "Live DEBUG_VALUE analysis",
    "Remove Loads Into Fake Uses",
    "Pseudo Probe Inserter",
    "Machine Sanitizer Binary Metadata",
    "Stack Frame Layout Analysis",
    "Register Allocation Pass Scoring",
};

/// LLVM's list of passes, but for those.
class Passes : public legacy::PassManager {
public:
  size_t left_out = 0;

  void add(Pass *pass) override {
    if (is_contained(NEEDLESS, pass->getPassName())) {
      ++left_out;
      delete pass;
      return;
    }
    legacy::PassManager::add(pass);
  }
};

/// The passes, and the bytes that they write.
struct Emitter {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream{bytes};
  Passes passes;
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

/// Names of passes to leave out that this LLVM does not have: a name that has changed would go unnoticed.
size_t oxicl_emitter_unknown(const Emitter *emitter) {
  size_t names = std::size(NEEDLESS);
  return names > emitter->passes.left_out ? names - emitter->passes.left_out : 0;
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
