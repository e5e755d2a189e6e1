; module tile Tile(dtype='float32', rows=2, vectors=1, lanes=16, masks=True, table=False, turned=False)
define void @k(ptr %x0)  {
entry.0:
%0 = getelementptr i64, ptr %x0, i64 7
%1 = load i64, ptr %0, align 8
%2 = getelementptr i64, ptr %x0, i64 5
%3 = load ptr, ptr %2, align 8
%4 = getelementptr i64, ptr %x0, i64 6
%5 = load i64, ptr %4, align 8
br label %turn.1
turn.1:
%f3 = phi i64 [%1, %entry.0], [%6, %turn.1]
%f4 = phi ptr [%3, %entry.0], [%7, %turn.1]
%6 = sub i64 %f3, 1
%7 = getelementptr i8, ptr %f4, i64 %5
call void @"llvm.prefetch.p0"(ptr %f4, i32 1, i32 3, i32 1)
%8 = getelementptr i8, ptr %f4, i64 63
call void @"llvm.prefetch.p0"(ptr %8, i32 1, i32 3, i32 1)
%9 = icmp ne i64 %6, 0
br i1 %9, label %turn.1, label %turned.2
turned.2:
%10 = icmp slt i64 %1, 2
br i1 %10, label %fewer.5, label %more.6
fewer.5:
%11 = getelementptr i64, ptr %x0, i64 8
%12 = load i64, ptr %11, align 8
%13 = trunc i64 %12 to i32
%14 = insertelement <16 x i32> poison, i32 %13, i32 0
%15 = shufflevector <16 x i32> %14, <16 x i32> poison, <16 x i32> zeroinitializer
%16 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %15
%17 = load ptr, ptr %x0, align 8
%18 = getelementptr i64, ptr %x0, i64 3
%19 = load ptr, ptr %18, align 8
%20 = getelementptr i64, ptr %x0, i64 1
%21 = load i64, ptr %20, align 8
%22 = getelementptr i64, ptr %x0, i64 2
%23 = load i64, ptr %22, align 8
%24 = getelementptr i64, ptr %x0, i64 4
%25 = load i64, ptr %24, align 8
%26 = getelementptr i64, ptr %x0, i64 9
%27 = load i64, ptr %26, align 8
%28 = getelementptr i64, ptr %x0, i64 14
%29 = load i64, ptr %28, align 8
%30 = add i64 8, %29
%31 = mul i64 %23, %30
%32 = getelementptr i64, ptr %x0, i64 15
%33 = load ptr, ptr %32, align 8
%34 = getelementptr i64, ptr %x0, i64 16
%35 = load i64, ptr %34, align 8
%36 = getelementptr i64, ptr %x0, i64 17
%37 = load ptr, ptr %36, align 8
%38 = getelementptr i64, ptr %x0, i64 18
%39 = load i64, ptr %38, align 8
%40 = getelementptr i64, ptr %x0, i64 19
%41 = load i64, ptr %40, align 8
br label %k.7
k.7:
%f9 = phi i64 [%27, %fewer.5], [%47, %k.7]
%f10 = phi ptr [%17, %fewer.5], [%48, %k.7]
%f11 = phi ptr [%19, %fewer.5], [%49, %k.7]
%f12 = phi <16 x float> [zeroinitializer, %fewer.5], [%46, %k.7]
%42 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f11, i32 4, <16 x i1> %16, <16 x float> zeroinitializer)
%43 = load float, ptr %f10, align 4
%44 = insertelement <16 x float> poison, float %43, i32 0
%45 = shufflevector <16 x float> %44, <16 x float> poison, <16 x i32> zeroinitializer
%46 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %45, <16 x float> %42, <16 x float> %f12)
%47 = sub i64 %f9, 1
%48 = getelementptr i8, ptr %f10, i64 %23
%49 = getelementptr i8, ptr %f11, i64 %25
%50 = icmp ne i64 %47, 0
br i1 %50, label %k.7, label %sums.8
sums.8:
%51 = getelementptr i64, ptr %x0, i64 5
%52 = load ptr, ptr %51, align 8
%53 = getelementptr i64, ptr %x0, i64 6
%54 = load i64, ptr %53, align 8
%55 = getelementptr i64, ptr %x0, i64 11
%56 = load ptr, ptr %55, align 8
%57 = getelementptr i64, ptr %x0, i64 12
%58 = load i64, ptr %57, align 8
%59 = getelementptr i64, ptr %x0, i64 8
%60 = load i64, ptr %59, align 8
%61 = trunc i64 %60 to i32
%62 = insertelement <16 x i32> poison, i32 %61, i32 0
%63 = shufflevector <16 x i32> %62, <16 x i32> poison, <16 x i32> zeroinitializer
%64 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %63
%65 = getelementptr i64, ptr %x0, i64 10
%66 = load i64, ptr %65, align 8
%67 = icmp ne i64 %66, 0
%68 = insertelement <16 x i1> poison, i1 %67, i32 0
%69 = shufflevector <16 x i1> %68, <16 x i1> poison, <16 x i32> zeroinitializer
%70 = and <16 x i1> %64, %69
%71 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %56, i32 4, <16 x i1> %70, <16 x float> splat (float 0x8000000000000000))
%72 = fadd <16 x float> %71, %46
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %72, ptr %52, i32 4, <16 x i1> %64)
ret void
more.6:
%73 = getelementptr i64, ptr %x0, i64 8
%74 = load i64, ptr %73, align 8
%75 = trunc i64 %74 to i32
%76 = insertelement <16 x i32> poison, i32 %75, i32 0
%77 = shufflevector <16 x i32> %76, <16 x i32> poison, <16 x i32> zeroinitializer
%78 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %77
%79 = load ptr, ptr %x0, align 8
%80 = getelementptr i64, ptr %x0, i64 3
%81 = load ptr, ptr %80, align 8
%82 = getelementptr i64, ptr %x0, i64 1
%83 = load i64, ptr %82, align 8
%84 = getelementptr i64, ptr %x0, i64 2
%85 = load i64, ptr %84, align 8
%86 = getelementptr i64, ptr %x0, i64 4
%87 = load i64, ptr %86, align 8
%88 = getelementptr i64, ptr %x0, i64 9
%89 = load i64, ptr %88, align 8
%90 = getelementptr i64, ptr %x0, i64 14
%91 = load i64, ptr %90, align 8
%92 = add i64 8, %91
%93 = mul i64 %85, %92
%94 = getelementptr i64, ptr %x0, i64 15
%95 = load ptr, ptr %94, align 8
%96 = getelementptr i64, ptr %x0, i64 16
%97 = load i64, ptr %96, align 8
%98 = getelementptr i64, ptr %x0, i64 17
%99 = load ptr, ptr %98, align 8
%100 = getelementptr i64, ptr %x0, i64 18
%101 = load i64, ptr %100, align 8
%102 = getelementptr i64, ptr %x0, i64 19
%103 = load i64, ptr %102, align 8
br label %k.13
k.13:
%f15 = phi i64 [%89, %more.6], [%114, %k.13]
%f16 = phi ptr [%79, %more.6], [%115, %k.13]
%f17 = phi ptr [%81, %more.6], [%116, %k.13]
%f18 = phi <16 x float> [zeroinitializer, %more.6], [%108, %k.13]
%f19 = phi <16 x float> [zeroinitializer, %more.6], [%113, %k.13]
%104 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f17, i32 4, <16 x i1> %78, <16 x float> zeroinitializer)
%105 = load float, ptr %f16, align 4
%106 = insertelement <16 x float> poison, float %105, i32 0
%107 = shufflevector <16 x float> %106, <16 x float> poison, <16 x i32> zeroinitializer
%108 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %107, <16 x float> %104, <16 x float> %f18)
%109 = getelementptr i8, ptr %f16, i64 %83
%110 = load float, ptr %109, align 4
%111 = insertelement <16 x float> poison, float %110, i32 0
%112 = shufflevector <16 x float> %111, <16 x float> poison, <16 x i32> zeroinitializer
%113 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %112, <16 x float> %104, <16 x float> %f19)
%114 = sub i64 %f15, 1
%115 = getelementptr i8, ptr %f16, i64 %85
%116 = getelementptr i8, ptr %f17, i64 %87
%117 = icmp ne i64 %114, 0
br i1 %117, label %k.13, label %sums.14
sums.14:
%118 = getelementptr i64, ptr %x0, i64 5
%119 = load ptr, ptr %118, align 8
%120 = getelementptr i64, ptr %x0, i64 6
%121 = load i64, ptr %120, align 8
%122 = getelementptr i64, ptr %x0, i64 11
%123 = load ptr, ptr %122, align 8
%124 = getelementptr i64, ptr %x0, i64 12
%125 = load i64, ptr %124, align 8
%126 = getelementptr i64, ptr %x0, i64 8
%127 = load i64, ptr %126, align 8
%128 = trunc i64 %127 to i32
%129 = insertelement <16 x i32> poison, i32 %128, i32 0
%130 = shufflevector <16 x i32> %129, <16 x i32> poison, <16 x i32> zeroinitializer
%131 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %130
%132 = getelementptr i64, ptr %x0, i64 10
%133 = load i64, ptr %132, align 8
%134 = icmp ne i64 %133, 0
%135 = insertelement <16 x i1> poison, i1 %134, i32 0
%136 = shufflevector <16 x i1> %135, <16 x i1> poison, <16 x i32> zeroinitializer
%137 = and <16 x i1> %131, %136
%138 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %123, i32 4, <16 x i1> %137, <16 x float> splat (float 0x8000000000000000))
%139 = fadd <16 x float> %138, %108
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %139, ptr %119, i32 4, <16 x i1> %131)
%140 = getelementptr i8, ptr %123, i64 %125
%141 = getelementptr i8, ptr %119, i64 %121
%142 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %140, i32 4, <16 x i1> %137, <16 x float> splat (float 0x8000000000000000))
%143 = fadd <16 x float> %142, %113
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %143, ptr %141, i32 4, <16 x i1> %131)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
