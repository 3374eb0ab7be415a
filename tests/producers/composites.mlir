// Vectors, structures and arrays taken apart and put together; functions of OpenCL.std; a call.
spirv.module Physical64 OpenCL requires #spirv.vce<v1.4, [Kernel, Addresses, Int64, Float64, Linkage], []> {
  spirv.GlobalVariable @gid built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi64>, Input>
  spirv.func @twice(%x: i32) -> i32 "Inline" {
    %s = spirv.IAdd %x, %x : i32
    spirv.ReturnValue %s : i32
  }
  spirv.func @k(%p: !spirv.ptr<i32, CrossWorkgroup>, %q: !spirv.ptr<f32, CrossWorkgroup>) "None" {
    %a = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi64>, Input>
    %v = spirv.Load "Input" %a : vector<3xi64>
    %i = spirv.CompositeExtract %v[0 : i32] : vector<3xi64>
    %pp = spirv.PtrAccessChain %p[%i] : !spirv.ptr<i32, CrossWorkgroup>, i64 -> !spirv.ptr<i32, CrossWorkgroup>
    %qq = spirv.PtrAccessChain %q[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    %n = spirv.Load "CrossWorkgroup" %pp : i32
    %c = spirv.Constant dense<[10, 20, 30, 40]> : vector<4xi32>
    %w = spirv.CompositeInsert %n, %c[2 : i32] : i32 into vector<4xi32>
    %r = spirv.VectorShuffle [3 : i32, 2 : i32] %w, %c : vector<4xi32>, vector<4xi32> -> vector<2xi32>
    %r0 = spirv.CompositeExtract %r[0 : i32] : vector<2xi32>
    %r1 = spirv.CompositeExtract %r[1 : i32] : vector<2xi32>
    %pair = spirv.CompositeConstruct %r0, %r1 : (i32, i32) -> !spirv.struct<(i32, i32)>
    %p1 = spirv.CompositeExtract %pair[1 : i32] : !spirv.struct<(i32, i32)>
    %t = spirv.FunctionCall @twice(%p1) : (i32) -> i32
    %m = spirv.CL.s_max %t, %r0 : i32
    spirv.Store "CrossWorkgroup" %pp, %m : i32
    %x = spirv.Load "CrossWorkgroup" %qq : f32
    %d = spirv.FConvert %x : f32 to f64
    %e = spirv.CL.fma %d, %d, %d : f64
    %f = spirv.CL.floor %e : f64
    %g = spirv.FConvert %f : f64 to f32
    spirv.Store "CrossWorkgroup" %qq, %g : f32
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @k, @gid
}
