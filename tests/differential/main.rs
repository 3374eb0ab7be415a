//! Runs many random kernels: `oxicl-differential [FIRST SEED] [COUNT]`.

use std::io::Write as _;

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap_or(0));
    let first = arguments.next().unwrap_or(0);
    let count = arguments.next().unwrap_or(1000);
    let mut different = 0u64;
    for (done, seed) in (first..first + count).enumerate() {
        if let Err(difference) = oxicl_differential::check(seed) {
            different += 1;
            println!("{difference}");
        }
        if done % 50 == 49 {
            eprint!("\r{} of {count} kernels, {different} different", done + 1);
            let _ = std::io::stderr().flush();
        }
    }
    println!("{count} kernels from seed {first}: {different} different");
    if different == 0 { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE }
}
