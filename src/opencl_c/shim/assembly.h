// Inline assembly of programs.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CodeGenerator;
}

/// Takes inline assembly without text out of what the generator makes, and reports errors for other. It comes behind the
/// generator.
std::unique_ptr<clang::ASTConsumer> take_assembly(clang::CodeGenerator &generator);
