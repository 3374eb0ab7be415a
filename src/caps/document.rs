//! The table and the answers as text: `docs/capabilities.md`, and what the golden test compares.

use std::fmt::Write;

use khronos_headers as cl;

use crate::cpu::{Caches, Cpu, CpuFeature};
use crate::features::{FEATURES, Needs};
use crate::{DeviceCaps, Machine, Value};

/// The text of `docs/capabilities.md`.
pub fn capabilities_document() -> String {
    let mut text = String::from(
        "# What the device can do\n\n\
         Written from the table in `src/caps/features.rs` by\n\
         `cargo run -p oxicl-caps --example capabilities > docs/capabilities.md`; a test holds it up to date.\n\n\
         | Feature | Present | Extensions | OpenCL C | SPIR-V |\n|---|---|---|---|---|\n",
    );
    for row in FEATURES {
        let present = match row.needs {
            Needs::Nothing => "yes".to_owned(),
            Needs::Later => "no".to_owned(),
        };
        let extensions = row.extensions.iter().map(|extension| {
            let version = extension.version;
            format!("`{}` {}.{}.{}", extension.name, version.0, version.1, version.2)
        });
        let versions = row.spirv_versions.iter().map(|version| format!("{}.{}", version.0, version.1));
        let capabilities = row.spirv_capabilities.iter().map(|capability| format!("{capability:?}"));
        let names = row.spirv_extensions.iter().chain(row.spirv_sets).map(|name| format!("`{name}`"));
        let _ = writeln!(
            text,
            "| {} | {present} | {} | {} | {} |",
            row.title,
            list(extensions),
            list(row.c_features.iter().map(|feature| format!("`{}`", feature.name))),
            list(versions.chain(capabilities).chain(names)),
        );
    }
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// Every query of a device by its first name in the headers, aliases left out.
pub fn device_queries() -> Vec<(&'static str, cl::cl_device_info)> {
    let mut queries: Vec<(&str, u32)> = Vec::new();
    for constant in cl::describe::AREAS.iter().flat_map(|area| area.constants) {
        let is_name = constant.name.starts_with("CL_DEVICE_") || constant.name.starts_with("CL_DRIVER_");
        let Ok(value) = u32::try_from(constant.value) else { continue };
        let is_query = matches!(value, 0x1000..=0x1075 | 0x1077 | 0x12B9..=0x12BB | 0x4190..=0x4194 | 0x4250..=0x4256)
            && constant.size == size_of::<u32>();
        if is_name && is_query && !queries.iter().any(|query| query.1 == value) {
            queries.push((constant.name, value));
        }
    }
    queries.sort_by_key(|query| query.1);
    queries
}

/// Every answer of a device and its platform, one a line.
pub fn describe_queries(caps: &DeviceCaps) -> String {
    let mut text = String::new();
    for (name, query) in device_queries() {
        if let Some(value) = caps.query(query) {
            let _ = writeln!(text, "{name} = {}", describe(&value));
        }
    }
    for query in cl::CL_PLATFORM_PROFILE..=cl::CL_PLATFORM_ICD_SUFFIX_KHR {
        if let Some(value) = caps.query_platform(query) {
            let _ = writeln!(text, "platform {query:#x} = {}", describe(&value));
        }
    }
    text
}

fn describe(value: &Value) -> String {
    match value {
        Value::U32(value) => format!("{value:#x}"),
        Value::U64(value) => format!("{value:#x}"),
        Value::Size(value) => format!("{value}"),
        Value::Bool(value) => format!("{value}"),
        Value::Str(text) => format!("{text:?}"),
        Value::StrPointers(names) => format!("{names:?}"),
        Value::Bytes(bytes) if bytes.len() % size_of::<cl::cl_name_version>() == 0 => {
            let entries = bytes.chunks(size_of::<cl::cl_name_version>()).map(|entry| {
                let (version, name) = entry.split_at_checked(4).unwrap_or_default();
                let version = version.try_into().map_or(0, u32::from_ne_bytes);
                let name: String = name.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
                format!("{name} {}.{}.{}", version >> 22, version >> 12 & 0x3FF, version & 0xFFF)
            });
            format!("[{}]", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

impl DeviceCaps {
    /// The device of a machine that does not exist: tests compare its answers with a file.
    pub fn example() -> Self {
        use CpuFeature::{Avx, Avx2, Bmi1, Bmi2, F16c, Fma, Lzcnt, Movbe, Popcnt, Sse3, Sse41, Sse42, Ssse3};
        let features = vec![Sse3, Ssse3, Sse41, Sse42, Popcnt, Movbe, Lzcnt, Bmi1, Bmi2, F16c, Fma, Avx, Avx2];
        let cpu = Cpu {
            vendor: "GenuineIntel".to_owned(),
            brand: "Example CPU @ 3.00GHz".to_owned(),
            signature: [6, 143, 8],
            max_mhz: 3000,
            caches: Caches { second: 2 << 20, last: 32 << 20, line: 64 },
            features,
            taken_for: None,
        };
        DeviceCaps::new(cpu, Machine { cpus: 8, memory_bytes: 16 << 30 })
    }
}
