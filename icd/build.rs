//! Link options of the library.

fn main() {
    // Threads of ours may still be inside the library when a loader closes it, and handles stay in the application's
    // hands: the library is never unmapped.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,relro,-z,now");
    println!("cargo::rerun-if-changed=build.rs");
}
