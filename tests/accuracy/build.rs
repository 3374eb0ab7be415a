//! Compiles the loops over the host's vector libm.

fn main() {
    println!("cargo::rerun-if-changed=screen.c");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        cc::Build::new()
            .file("screen.c")
            .flag("-mavx2")
            .flag("-mfma")
            .flag("-mf16c")
            .flag("-Wno-psabi")
            .flag("-Wno-pedantic")
            .opt_level(3)
            .compile("screen");
    }
}
