//! Compiles the kernels with clang.
fn main() -> Result<(), String> {
    oxicl_offline::build_folder("kernels")
}
