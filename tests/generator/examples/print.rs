//! Prints the kernel of a seed.
fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    print!("{}", oxicl_generator::kernel(seed));
}
