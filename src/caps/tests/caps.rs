//! The capability table holds together, and what it advertises changes only on purpose.

use khronos_headers as cl;
use oxicl_caps::config::Config;
use oxicl_caps::{
    Cpu, CpuFeature, DeviceCaps, FEATURES, Feature, SPIRV_EXTENSIONS, Support, Value, capabilities_document,
    describe_queries, device_queries, extensions_document,
};

/// Compares with a file of the repository; `how` says how to renew it.
fn assert_is_file(text: &str, path: &str, how: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(&path).unwrap_or_default();
    for (index, (is, was)) in text.lines().zip(file.lines()).enumerate() {
        assert_eq!(is, was, "line {} of {path}; if that is on purpose: {how}", index + 1);
    }
    assert_eq!(text.lines().count(), file.lines().count(), "{path}; if that is on purpose: {how}");
}

#[test]
fn what_is_advertised_changes_only_on_purpose() {
    assert_is_file(
        &describe_queries(&DeviceCaps::example()),
        "tests/golden.txt",
        "cargo run -p oxicl-caps --example capabilities golden > src/caps/tests/golden.txt",
    );
}

#[test]
fn the_document_is_that_of_the_table() {
    assert_is_file(
        &capabilities_document(),
        "../../docs/capabilities.md",
        "cargo run -p oxicl-caps --example capabilities > docs/capabilities.md",
    );
}

#[test]
fn the_list_of_extensions_is_that_of_the_table() {
    assert_is_file(
        &extensions_document(),
        "../../docs/extensions.md",
        "cargo run -p oxicl-caps --example capabilities extensions > docs/extensions.md",
    );
}

#[test]
fn extensions_are_accepted_with_meaning_exactly_if_they_are_advertised() {
    let caps = DeviceCaps::example();
    let mut advertised: Vec<&str> = caps.spirv_extensions().to_vec();
    let of = |support| SPIRV_EXTENSIONS.iter().filter(move |row| row.support == support).map(|row| row.name);
    let mut accepted: Vec<&str> = of(Support::Meaning).collect();
    advertised.sort_unstable();
    accepted.sort_unstable();
    assert_eq!(advertised, accepted, "src/caps/features.rs and src/caps/extensions.rs name the same extensions");
    assert!(of(Support::Ignored).all(|name| caps.spirv_extension(name)));
    assert!(of(Support::Refused).all(|name| !caps.spirv_extension(name)));
    assert!(SPIRV_EXTENSIONS.is_sorted_by(|one, other| one.name < other.name), "the table is in order");
}

#[test]
fn every_present_feature_has_what_it_requires() {
    let caps = DeviceCaps::example();
    for row in FEATURES.iter().filter(|row| caps.has(row.feature)) {
        for below in row.requires {
            assert!(caps.has(*below), "{:?} without {below:?}", row.feature);
        }
    }
}

#[test]
fn strings_and_versions_name_the_same_extensions() {
    let caps = DeviceCaps::example();
    for (text, versions) in [
        (caps.query(cl::CL_DEVICE_EXTENSIONS), caps.query(cl::CL_DEVICE_EXTENSIONS_WITH_VERSION)),
        (caps.query_platform(cl::CL_PLATFORM_EXTENSIONS), caps.query_platform(cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION)),
    ] {
        let (Some(Value::Str(text)), Some(Value::Bytes(versions))) = (text, versions) else { panic!("wrong types") };
        let names: Vec<_> = versions
            .chunks(size_of::<cl::cl_name_version>())
            .map(|entry| String::from_utf8(entry[4..].iter().copied().take_while(|byte| *byte != 0).collect()).unwrap())
            .collect();
        assert_eq!(text.split(' ').collect::<Vec<_>>(), names);
        assert!(names.iter().any(|name| name == "cl_khr_il_program"));
    }
}

#[test]
fn every_accepted_extension_of_spirv_is_listed_and_nothing_else() {
    let caps = DeviceCaps::example();
    assert!(caps.spirv_extension("SPV_KHR_expect_assume"));
    assert!(!caps.spirv_extension("SPV_KHR_ray_tracing"));
    assert!(caps.spirv_capability(spirv::Capability::Kernel));
    assert!(!caps.spirv_capability(spirv::Capability::Shader));
    assert!(caps.spirv_instruction_set("OpenCL.std") && caps.spirv_instruction_set("NonSemantic.Shader.DebugInfo.100"));
    assert!(!caps.spirv_instruction_set("GLSL.std.450"));
    assert!(caps.spirv_version(1, 4) && !caps.spirv_version(1, 7) && !caps.spirv_version(2, 0));
}

/// The example without some extensions.
fn hiding(hidden: &[&'static str]) -> DeviceCaps {
    let config = Config { hidden: hidden.to_vec(), ..Config::default() };
    DeviceCaps::configured(DeviceCaps::example().cpu, DeviceCaps::example().machine, &config)
}

#[test]
fn a_hidden_extension_takes_its_feature_and_those_above_along() {
    let caps = hiding(&["cl_khr_fp64", "cl_khr_subgroups", "cl_intel_device_attribute_query"]);
    for gone in [Feature::Fp64, Feature::DoubleAtomics, Feature::SubGroupProgress, Feature::NamedBarriers] {
        assert!(!caps.has(gone), "{gone:?}");
    }
    assert!(caps.has(Feature::SubGroups) && caps.has(Feature::FloatAtomics));
    assert!(!caps.c_features().iter().any(|feature| feature.name.contains("fp64")));
    assert!(!caps.spirv_capability(spirv::Capability::Float64));
    assert_eq!(caps.query(cl::CL_DEVICE_DOUBLE_FP_CONFIG), Some(Value::U64(0)));
    assert_eq!(caps.query(cl::CL_DEVICE_IP_VERSION_INTEL), None);
    let names: Vec<&str> = caps.platform_extensions().map(|extension| extension.name).collect();
    assert!(!names.iter().any(|name| ["cl_khr_fp64", "cl_khr_subgroup_named_barrier"].contains(name)), "{names:?}");
    assert!(names.contains(&"cl_khr_fp16") && names.contains(&"cl_ext_float_atomics"));
    assert_eq!(*caps.whole(), DeviceCaps::example());
}

#[test]
fn a_feature_stays_as_long_as_one_of_its_extensions_or_the_core_has_it() {
    let one = hiding(&["cl_khr_int64_base_atomics"]);
    assert!(one.has(Feature::Int64Atomics));
    let both = hiding(&["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]);
    assert!(!both.has(Feature::Int64Atomics) && !both.spirv_capability(spirv::Capability::Int64Atomics));
    let every: Vec<&str> = FEATURES
        .iter()
        .filter(|row| row.feature != Feature::Icd)
        .flat_map(|row| row.extensions)
        .map(|extension| extension.name)
        .collect();
    let bare = hiding(&every);
    assert_eq!(bare.query(cl::CL_DEVICE_EXTENSIONS), Some(Value::Str(String::new())));
    assert_eq!(bare.query_platform(cl::CL_PLATFORM_EXTENSIONS), Some(Value::Str("cl_khr_icd".to_owned())));
    for core in [Feature::Base, Feature::Spirv, Feature::OpenclC, Feature::Images, Feature::SubGroups] {
        assert!(bare.has(core), "{core:?}");
    }
    assert_eq!(bare.query(cl::CL_DEVICE_IL_VERSION), Some(Value::Str(String::new())));
    assert_eq!(bare.query(cl::CL_DEVICE_UUID), DeviceCaps::example().query(cl::CL_DEVICE_UUID));
}

#[test]
fn a_process_that_compiles_for_another_sees_what_that_hides() {
    let all = DeviceCaps::anywhere();
    assert!(std::ptr::eq(DeviceCaps::anywhere_hiding(&[]), all));
    let hidden = ["cl_khr_fp16".to_owned()];
    let less = DeviceCaps::anywhere_hiding(&hidden);
    assert!(all.has(Feature::Fp16) && !less.has(Feature::Fp16));
    assert!(std::ptr::eq(DeviceCaps::anywhere_hiding(&hidden), less), "it is kept");
    assert!(std::ptr::eq(DeviceCaps::anywhere_hiding(&["cl_khr_fp46".to_owned()]), all), "there is none");
}

#[test]
fn builds_differ_in_driver_version_and_identifier() {
    let caps = DeviceCaps::example();
    let (one, other) = (caps.of_build("1"), caps.of_build("2"));
    for query in [cl::CL_DRIVER_VERSION, cl::CL_DRIVER_UUID, cl::CL_DEVICE_VERSION] {
        assert_ne!(one.query(query), other.query(query), "{query:#x}");
    }
    for query in [cl::CL_DEVICE_NAME, cl::CL_DEVICE_UUID, cl::CL_DEVICE_NUMERIC_VERSION] {
        assert_eq!(one.query(query), other.query(query), "{query:#x}");
    }
}

#[test]
fn answers_have_the_size_of_their_c_type() {
    let caps = DeviceCaps::example();
    let bytes = |name| match caps.query(name) {
        Some(Value::Bytes(bytes)) => bytes.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes(cl::CL_DEVICE_UUID), cl::CL_UUID_SIZE);
    assert_eq!(bytes(cl::CL_DEVICE_LUID), cl::CL_LUID_SIZE);
    assert_eq!(bytes(cl::CL_DEVICE_MAX_WORK_GROUP_SIZES), 3 * size_of::<usize>());
    assert_eq!(bytes(cl::CL_DEVICE_ILS_WITH_VERSION) % size_of::<cl::cl_name_version>(), 0);
}

#[test]
fn a_small_processor_promises_less() {
    let big = DeviceCaps::example();
    let small = DeviceCaps::new(Cpu { features: vec![CpuFeature::Sse3], ..big.cpu.clone() }, big.machine.clone());
    let width = |caps: &DeviceCaps| match caps.query(cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) {
        Some(Value::U32(width)) => width,
        other => panic!("{other:?}"),
    };
    assert_eq!((width(&big), width(&small)), (8, 4));
    let fma = |caps: &DeviceCaps| match caps.query(cl::CL_DEVICE_SINGLE_FP_CONFIG) {
        Some(Value::U64(bits)) => bits & cl::CL_FP_FMA != 0,
        other => panic!("{other:?}"),
    };
    assert!(fma(&big) && !fma(&small));
    assert_eq!(small.target_features(), ["+sse3"]);
}

#[test]
fn limits_reach_the_minimum_of_the_full_profile() {
    let mut machine = DeviceCaps::example().machine;
    for memory in [64 << 20, 1 << 30, 16 << 30, 1 << 40] {
        machine.memory_bytes = memory;
        let limits = DeviceCaps::new(DeviceCaps::example().cpu, machine.clone()).limits;
        assert!(limits.max_alloc_bytes >= (memory / 4).clamp(32 << 20, 1 << 30));
        assert!(limits.max_alloc_bytes <= limits.global_bytes.max(32 << 20));
        assert!(limits.max_parameter_bytes >= 1024 && limits.max_local_bytes >= 32 << 10);
        assert!(limits.max_constant_bytes >= 64 << 10 && limits.max_constant_args >= 8);
        assert!(u64::from(limits.max_constant_args) * 8 < limits.max_parameter_bytes);
    }
}

#[test]
fn images_reach_the_minimum_of_the_full_profile() {
    let caps = DeviceCaps::example();
    let number = |name| match caps.query(name) {
        Some(Value::U32(number)) => u64::from(number),
        Some(Value::Size(number)) => number as u64,
        Some(Value::Bool(truth)) => u64::from(truth),
        other => panic!("{other:?}"),
    };
    for (name, least) in [
        (cl::CL_DEVICE_IMAGE_SUPPORT, 1),
        (cl::CL_DEVICE_MAX_READ_IMAGE_ARGS, 128),
        (cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64),
        (cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64),
        (cl::CL_DEVICE_MAX_SAMPLERS, 16),
        (cl::CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1),
        (cl::CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1),
        (cl::CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384),
        (cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384),
        (cl::CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048),
        (cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048),
        (cl::CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048),
        (cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536),
        (cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048),
    ] {
        assert!(number(name) >= least, "{name:#x}");
    }
    assert!(caps.spirv_capability(spirv::Capability::ImageReadWrite));
    assert!(caps.device_extensions().any(|extension| extension.name == "cl_khr_image2d_from_buffer"));
}

#[test]
fn the_host_is_read_once() {
    assert!(std::ptr::eq(DeviceCaps::host(), DeviceCaps::host()));
    assert!(DeviceCaps::host().has(Feature::Base));
}

#[test]
fn every_query_is_answered_here_or_by_the_device_object() {
    let by_object = [
        cl::CL_DEVICE_MAX_COMPUTE_UNITS,
        cl::CL_DEVICE_NUM_SLICES_INTEL,
        cl::CL_DEVICE_PLATFORM,
        cl::CL_DEVICE_PARENT_DEVICE,
        cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
        cl::CL_DEVICE_PARTITION_PROPERTIES,
        cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
        cl::CL_DEVICE_PARTITION_TYPE,
        cl::CL_DEVICE_REFERENCE_COUNT,
    ];
    let caps = DeviceCaps::example();
    let queries = device_queries();
    assert!(queries.len() > 100, "{}", queries.len());
    for (name, query) in queries {
        let answered = caps.query(query).is_some();
        assert_eq!(answered, !by_object.contains(&query), "{name}");
    }
}
