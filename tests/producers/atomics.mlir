// Atomics on integers and floats, a local variable, a barrier, a required work-group size.
spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel, Addresses, Int64, Linkage, AtomicFloat32AddEXT], [SPV_EXT_shader_atomic_float_add]> {
  spirv.GlobalVariable @gid built_in("LocalInvocationId") : !spirv.ptr<vector<3xi64>, Input>
  spirv.GlobalVariable @shared : !spirv.ptr<i32, Workgroup>
  spirv.func @k(%p: !spirv.ptr<i32, CrossWorkgroup>, %q: !spirv.ptr<f32, CrossWorkgroup>) "None" {
    %zero = spirv.Constant 0 : i64
    %one = spirv.Constant 1 : i32
    %half = spirv.Constant 0.5 : f32
    %a = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi64>, Input>
    %v = spirv.Load "Input" %a : vector<3xi64>
    %i = spirv.CompositeExtract %v[0 : i32] : vector<3xi64>
    %s = spirv.mlir.addressof @shared : !spirv.ptr<i32, Workgroup>
    %first = spirv.IEqual %i, %zero : i64
    spirv.mlir.selection {
      spirv.BranchConditional %first, ^then, ^merge
    ^then:
      %none = spirv.Constant 0 : i32
      spirv.Store "Workgroup" %s, %none : i32
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory>
    %old = spirv.AtomicIAdd <Workgroup> <None> %s, %one : !spirv.ptr<i32, Workgroup>
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory>
    %pp = spirv.PtrAccessChain %p[%i] : !spirv.ptr<i32, CrossWorkgroup>, i64 -> !spirv.ptr<i32, CrossWorkgroup>
    %n = spirv.Load "Workgroup" %s : i32
    spirv.Store "CrossWorkgroup" %pp, %n : i32
    %f = spirv.EXT.AtomicFAdd <Device> <None> %q, %half : !spirv.ptr<f32, CrossWorkgroup>
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @k, @gid
  spirv.ExecutionMode @k "LocalSize", 4, 1, 1
}
