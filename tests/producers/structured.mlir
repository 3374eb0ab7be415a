// A selection whose result is a phi, a loop whose block arguments are phis, a specialisation constant, OpenCL.std.
spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel, Addresses, Int64, Linkage], []> {
  spirv.SpecConstant @factor spec_id(7) = 3 : i32
  spirv.GlobalVariable @gid built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi64>, Input>
  spirv.func @k(%p: !spirv.ptr<i32, CrossWorkgroup>, %q: !spirv.ptr<f32, CrossWorkgroup>) "None" {
    %zero = spirv.Constant 0 : i32
    %one = spirv.Constant 1 : i32
    %five = spirv.Constant 5 : i32
    %total = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
    %a = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi64>, Input>
    %v = spirv.Load "Input" %a : vector<3xi64>
    %i = spirv.CompositeExtract %v[0 : i32] : vector<3xi64>
    %pp = spirv.InBoundsPtrAccessChain %p[%i] : !spirv.ptr<i32, CrossWorkgroup>, i64 -> !spirv.ptr<i32, CrossWorkgroup>
    %qq = spirv.InBoundsPtrAccessChain %q[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    %n = spirv.Load "CrossWorkgroup" %pp : i32
    %f = spirv.mlir.referenceof @factor : i32
    %less = spirv.SLessThan %n, %five : i32
    %count = spirv.mlir.selection -> i32 {
      spirv.BranchConditional %less, ^then, ^else
    ^then:
      %t = spirv.IMul %n, %f : i32
      spirv.Branch ^merge(%t : i32)
    ^else:
      %e = spirv.ISub %n, %one : i32
      spirv.Branch ^merge(%e : i32)
    ^merge(%m: i32):
      spirv.mlir.merge %m : i32
    }
    spirv.mlir.loop {
      spirv.Branch ^header(%zero, %zero : i32, i32)
    ^header(%j: i32, %s: i32):
      %more = spirv.SLessThan %j, %count : i32
      spirv.BranchConditional %more, ^body, ^merge
    ^body:
      %s2 = spirv.IAdd %s, %j : i32
      spirv.Store "Function" %total, %s2 : i32
      spirv.Branch ^continue
    ^continue:
      %j2 = spirv.IAdd %j, %one : i32
      spirv.Branch ^header(%j2, %s2 : i32, i32)
    ^merge:
      spirv.mlir.merge
    }
    %sum = spirv.Load "Function" %total : i32
    spirv.Store "CrossWorkgroup" %pp, %sum : i32
    %x = spirv.Load "CrossWorkgroup" %qq : f32
    %y = spirv.CL.sqrt %x : f32
    spirv.Store "CrossWorkgroup" %qq, %y : f32
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @k, @gid
}
