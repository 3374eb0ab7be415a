//! Runs many random kernels: `oxicl-differential [FIRST SEED] [COUNT] [--quick]`. A quick run executes each in fewer ways.

use std::io::Write as _;

fn main() -> std::process::ExitCode {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let numbers = std::env::args().skip(1).filter(|argument| argument != "--quick");
    let mut arguments = numbers.map(|argument| argument.parse::<u64>().unwrap_or(0));
    let first = arguments.next().unwrap_or(0);
    let count = arguments.next().unwrap_or(1000);
    let check = if quick { oxicl_differential::check_quickly } else { oxicl_differential::check };
    let mut different = 0u64;
    for (done, seed) in (first..first + count).enumerate() {
        if let Err(difference) = check(seed) {
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
