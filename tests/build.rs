//! Compiles the kernels of the guest scenarios with clang.
fn main() -> Result<(), String> {
    oxicl_offline::build_folder("guest/kernels")
}
