//! `oxicl info`: what the platform and its device are.

use std::path::Path;
use std::process::ExitCode;

use khronos_headers as cl;
use oxicl_validate::command::print;
use serde_json::{Map, Value, json};

use crate::arguments::Info;
use crate::doctor::size;
use crate::host::Host;
use crate::locate;
use crate::machine::Machine;
use crate::opencl::{OpenCl, as_text};

/// How the bytes of an answer are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Number,
    Bytes,
    Version,
}

/// A query of a device.
struct Query {
    name: &'static str,
    what: cl::cl_device_info,
    shape: Shape,
}

macro_rules! queries {
    ($($name:ident $shape:ident;)*) => {
        &[$(Query { name: stringify!($name), what: cl::$name, shape: Shape::$shape },)*]
    };
}

/// The essential ones first.
const DEVICE: &[Query] = queries! {
    CL_DEVICE_NAME Text;
    CL_DEVICE_VENDOR Text;
    CL_DEVICE_VERSION Text;
    CL_DRIVER_VERSION Text;
    CL_DEVICE_MAX_COMPUTE_UNITS Number;
    CL_DEVICE_MAX_CLOCK_FREQUENCY Number;
    CL_DEVICE_GLOBAL_MEM_SIZE Bytes;
    CL_DEVICE_MAX_MEM_ALLOC_SIZE Bytes;
    CL_DEVICE_LOCAL_MEM_SIZE Bytes;
    CL_DEVICE_MAX_WORK_GROUP_SIZE Number;
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT Number;
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE Bytes;
    CL_DEVICE_OPENCL_C_VERSION Text;
    CL_DEVICE_IL_VERSION Text;
    CL_DEVICE_NUMERIC_VERSION Version;
    CL_DEVICE_SVM_CAPABILITIES Number;
    CL_DEVICE_IMAGE_SUPPORT Number;
    CL_DEVICE_DOUBLE_FP_CONFIG Number;
    CL_DEVICE_HALF_FP_CONFIG Number;
    CL_DEVICE_PROFILE Text;
    CL_DEVICE_EXTENSIONS Text;
};

/// Asks, and prints.
pub fn info(arguments: &Info) -> ExitCode {
    let host = Host::new(Path::new("/"));
    match gather(&host) {
        Ok(sections) => {
            let json = || format!("{}\n", serde_json::to_string_pretty(&sections).unwrap_or_default());
            let shown = if arguments.json { json() } else { text(&sections) };
            print("oxicl info", shown.as_bytes(), ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("oxicl info: {why}.");
            ExitCode::FAILURE
        }
    }
}

/// Three objects: the platform's answers, the device's, and what is oxicl's own.
fn gather(host: &Host) -> Result<Map<String, Value>, String> {
    let library = locate::library(host)?;
    let opened = OpenCl::driver(&library).map_err(|why| format!("{} does not open: {why}", library.display()))?;
    let device = opened.device(0)?;
    let mut platform = Map::new();
    for (name, what) in [
        ("CL_PLATFORM_NAME", cl::CL_PLATFORM_NAME),
        ("CL_PLATFORM_VENDOR", cl::CL_PLATFORM_VENDOR),
        ("CL_PLATFORM_VERSION", cl::CL_PLATFORM_VERSION),
    ] {
        platform.insert(name.to_owned(), opened.platform_text(0, what).into());
    }
    let answers = DEVICE.iter().filter_map(|query| {
        let bytes = device.bytes(query.what)?;
        Some((query.name.to_owned(), value(&bytes, query.shape)))
    });
    let mut sections = Map::new();
    sections.insert("platform".to_owned(), platform.into());
    sections.insert("device".to_owned(), answers.collect::<Map<_, _>>().into());
    sections.insert("oxicl".to_owned(), own(host, &library));
    Ok(sections)
}

/// What no query tells.
fn own(host: &Host, library: &Path) -> Value {
    let compiler = locate::compiler(host, library);
    let version = locate::version(&compiler);
    let config = host.config();
    let machine = Machine::look(host);
    let (build, llvm) = match version {
        Ok(version) => (version.build, version.llvm),
        Err(why) => (why.to_string(), String::new()),
    };
    let level = format!("x86-64-v{}", machine.level);
    json!({
        "library": library,
        "compiler": compiler,
        "compiler version": build,
        "LLVM": llvm,
        "cache": config.cache,
        "device": if config.reference_device { "reference" } else { "compiled" },
        "CPU level": machine.taken_for.map_or(level.clone(), |other| format!("{level} (OXICL_CPU={other})")),
    })
}

fn value(bytes: &[u8], shape: Shape) -> Value {
    let number = || {
        let mut eight = [0; 8];
        let length = bytes.len().min(8);
        eight[..length].copy_from_slice(&bytes[..length]);
        u64::from_le_bytes(eight)
    };
    match shape {
        Shape::Text => as_text(bytes).into(),
        Shape::Number | Shape::Bytes => number().into(),
        Shape::Version => {
            let version = number();
            format!("{}.{}.{}", version >> 22, (version >> 12) & 0x3ff, version & 0xfff).into()
        }
    }
}

/// The sections for people.
fn text(sections: &Map<String, Value>) -> String {
    let shape = |name: &str| DEVICE.iter().find(|query| query.name == name).map_or(Shape::Text, |query| query.shape);
    let mut text = String::new();
    // The map sorts its keys; people read in this order.
    for section in ["platform", "device", "oxicl"] {
        let Some(rows) = sections.get(section).and_then(Value::as_object) else { continue };
        text.push_str(&format!("{section}\n"));
        let order = |name: &String| DEVICE.iter().position(|query| query.name == name).unwrap_or(0);
        let mut names: Vec<&String> = rows.keys().collect();
        names.sort_by_key(|name| order(name));
        for name in names {
            let shown = match &rows[name] {
                Value::String(text) => text.clone(),
                Value::Number(number) if shape(name) == Shape::Bytes => size(number.as_u64().unwrap_or(0)),
                Value::Null => "none".to_owned(),
                other => other.to_string(),
            };
            text.push_str(&format!("  {name:<42} {}\n", shown.trim()));
        }
    }
    text
}
