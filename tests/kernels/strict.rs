//! What the reference device does with kernels that the CPU could not survive.

use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::{Level, assemble, compile};

/// The status of a launch of `k` on one work-item with a buffer of four words, and the buffer after it.
fn launch(module: &[u8]) -> (i32, Vec<u32>) {
    let session = oxicl_tests::session();
    let program = Program::build(&session.context, module, "").unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").expect("the kernel");
    let buffer = Buffer::from_slice(&session.context, &[1u32, 2, 3, 4]).expect("a buffer");
    kernel.set_buffer(0, &buffer).expect("an argument");
    let event = session.queue.launch_with_event(&kernel, [1], None).expect("enqueued");
    let _ = event.wait();
    (event.status().expect("a status"), session.queue.read(&buffer).expect("content"))
}

#[test]
fn an_access_outside_every_buffer_fails_the_command_and_the_device_lives_on() {
    if !oxicl_tests::is_reference() {
        return;
    }
    let outside = ["p[4] = 9u;", "p[-1] = 9u;", "*(global uint *)0 = 9u;", "p[1] = p[1000000000000L];"];
    for statement in outside {
        let source = format!("kernel void k(global uint *p) {{ p[0] = 7u; {statement} p[2] = 8u; }}");
        let (status, content) = launch(&compile(&source, Level::Plain).expect("compiled"));
        assert!(status < 0, "{statement} gives {status}");
        assert_eq!(content, [7, 2, 3, 4], "{statement}");
    }
    let (status, content) =
        launch(&compile("kernel void k(global uint *p) { p[3] = 7u; }", Level::Plain).expect("compiled"));
    assert_eq!((status, content), (0, vec![1, 2, 3, 7]));
}

#[test]
fn unreachable_code_that_is_reached_fails_the_command() {
    if !oxicl_tests::is_reference() {
        return;
    }
    let text = "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n\
        OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n\
        %pointer = OpTypePointer CrossWorkgroup %uint\n%fn = OpTypeFunction %void %pointer\n\
        %nine = OpConstant %uint 9\n%k = OpFunction %void None %fn\n%p = OpFunctionParameter %pointer\n\
        %entry = OpLabel\nOpStore %p %nine Aligned 4\nOpUnreachable\nOpFunctionEnd\n";
    let (status, content) = launch(&assemble(text).expect("assembled"));
    assert!(status < 0);
    assert_eq!(content, [9, 2, 3, 4]);
}
