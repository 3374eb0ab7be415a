//! The compiler executable: a service for the library, and a command for people.

use std::process::ExitCode;

use oxicl_compiler::command_line::{self, Command};
use oxicl_compiler::emit_spirv;
use oxicl_compiler::serve;

/// LLVM's allocator, too: it defines the C library's names. With the C library's own allocator, a compilation takes a
/// tenth longer.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let result = match command_line::parse(std::env::args().skip(1)) {
        Ok(Command::Serve { workers, extras }) => serve::serve(workers, extras).map_err(|error| error.to_string()),
        Ok(Command::Refuse { library }) => Err(serve::refuse(&command_line::build(), &library)),
        Ok(Command::Compile(options)) => command_line::compile(&options),
        Ok(Command::Version) => {
            println!("{}", command_line::version());
            Ok(())
        }
        Ok(Command::EmitSpirv(call)) => emit_spirv::emit_spirv(&call),
        Err(message) => Err(message),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("oxicl-compiler: {}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}
