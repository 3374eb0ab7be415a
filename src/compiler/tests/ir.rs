//! What the work-group compiler reads of kernels, as text.

use std::fs;
use std::path::{Path, PathBuf};

use oxicl_caps::{DeviceCaps, DumpPart};
use oxicl_compiler::flow::{self, Observer};
use oxicl_protocol::{CompileRequest, Progress, SourceRequest};
use oxicl_target::Target;

/// The text of a build.
#[derive(Default)]
struct Text(String);

impl Observer for Text {
    fn begin(&mut self, _: Progress) {}

    fn wants(&self, part: DumpPart) -> bool {
        part == DumpPart::Ir
    }

    fn made(&mut self, _: DumpPart, text: &dyn Fn() -> String) {
        self.0 = text();
    }
}

#[test]
fn kernels_of_the_bench_are_read_back_from_their_text() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/kernels");
    let mut functions = 0;
    for entry in fs::read_dir(&folder).expect("readable") {
        let path = entry.expect("readable").path();
        let source = SourceRequest {
            text: fs::read(&path).expect("readable"),
            folder: folder.clone(),
            ..SourceRequest::default()
        };
        let spirv = oxicl_opencl_c::compile(&source, DeviceCaps::anywhere()).expect("a module").spirv;
        let target = Target::named("x86-64-v4").expect("a level");
        let mut text = Text::default();
        flow::compile(&CompileRequest { spirv, target: target.clone(), ..CompileRequest::default() }, &mut text)
            .expect("an image");
        assert_eq!(oxicl_workgroup::text_again(&text.0, &target).as_ref(), Ok(&text.0), "{}", path.display());
        functions += text.0.matches("\nfunction @").count() + usize::from(text.0.starts_with("function @"));
    }
    assert!(functions > 20, "there are kernels: {functions}");
}
