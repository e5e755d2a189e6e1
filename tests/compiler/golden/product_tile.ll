; module tile Tile(dtype='float32', rows=2, vectors=1, lanes=16, masks=True, table=False, turned=False)
define void @k(ptr %x0)  {
entry.0:
%0 = getelementptr i64, ptr %x0, i64 7
%1 = load i64, ptr %0, align 8
%2 = getelementptr i64, ptr %x0, i64 5
%3 = load ptr, ptr %2, align 8
%4 = getelementptr i64, ptr %x0, i64 6
%5 = load i64, ptr %4, align 8
br label %row.1
row.1:
%f3 = phi i64 [%1, %entry.0], [%6, %row.1]
%f4 = phi ptr [%3, %entry.0], [%7, %row.1]
%6 = sub i64 %f3, 1
%7 = getelementptr i8, ptr %f4, i64 %5
call void @"llvm.prefetch.p0"(ptr %f4, i32 1, i32 3, i32 1)
%8 = getelementptr i8, ptr %f4, i64 63
call void @"llvm.prefetch.p0"(ptr %8, i32 1, i32 3, i32 1)
%9 = icmp ne i64 %6, 0
br i1 %9, label %row.1, label %tile.2
tile.2:
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
br label %k.7
k.7:
%f9 = phi i64 [%27, %fewer.5], [%45, %k.7]
%f10 = phi ptr [%17, %fewer.5], [%46, %k.7]
%f11 = phi ptr [%19, %fewer.5], [%47, %k.7]
%f12 = phi <16 x float> [zeroinitializer, %fewer.5], [%44, %k.7]
%40 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f11, i32 4, <16 x i1> %16, <16 x float> zeroinitializer)
%41 = load float, ptr %f10, align 4
%42 = insertelement <16 x float> poison, float %41, i32 0
%43 = shufflevector <16 x float> %42, <16 x float> poison, <16 x i32> zeroinitializer
%44 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %43, <16 x float> %40, <16 x float> %f12)
%45 = sub i64 %f9, 1
%46 = getelementptr i8, ptr %f10, i64 %23
%47 = getelementptr i8, ptr %f11, i64 %25
%48 = icmp ne i64 %45, 0
br i1 %48, label %k.7, label %sums.8
sums.8:
%49 = getelementptr i64, ptr %x0, i64 5
%50 = load ptr, ptr %49, align 8
%51 = getelementptr i64, ptr %x0, i64 6
%52 = load i64, ptr %51, align 8
%53 = getelementptr i64, ptr %x0, i64 11
%54 = load ptr, ptr %53, align 8
%55 = getelementptr i64, ptr %x0, i64 12
%56 = load i64, ptr %55, align 8
%57 = getelementptr i64, ptr %x0, i64 8
%58 = load i64, ptr %57, align 8
%59 = trunc i64 %58 to i32
%60 = insertelement <16 x i32> poison, i32 %59, i32 0
%61 = shufflevector <16 x i32> %60, <16 x i32> poison, <16 x i32> zeroinitializer
%62 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %61
%63 = getelementptr i64, ptr %x0, i64 10
%64 = load i64, ptr %63, align 8
%65 = icmp ne i64 %64, 0
%66 = insertelement <16 x i1> poison, i1 %65, i32 0
%67 = shufflevector <16 x i1> %66, <16 x i1> poison, <16 x i32> zeroinitializer
%68 = and <16 x i1> %62, %67
%69 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %54, i32 4, <16 x i1> %68, <16 x float> splat (float 0x8000000000000000))
%70 = fadd <16 x float> %69, %44
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %70, ptr %50, i32 4, <16 x i1> %62)
ret void
more.6:
%71 = getelementptr i64, ptr %x0, i64 8
%72 = load i64, ptr %71, align 8
%73 = trunc i64 %72 to i32
%74 = insertelement <16 x i32> poison, i32 %73, i32 0
%75 = shufflevector <16 x i32> %74, <16 x i32> poison, <16 x i32> zeroinitializer
%76 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %75
%77 = load ptr, ptr %x0, align 8
%78 = getelementptr i64, ptr %x0, i64 3
%79 = load ptr, ptr %78, align 8
%80 = getelementptr i64, ptr %x0, i64 1
%81 = load i64, ptr %80, align 8
%82 = getelementptr i64, ptr %x0, i64 2
%83 = load i64, ptr %82, align 8
%84 = getelementptr i64, ptr %x0, i64 4
%85 = load i64, ptr %84, align 8
%86 = getelementptr i64, ptr %x0, i64 9
%87 = load i64, ptr %86, align 8
%88 = getelementptr i64, ptr %x0, i64 14
%89 = load i64, ptr %88, align 8
%90 = add i64 8, %89
%91 = mul i64 %83, %90
%92 = getelementptr i64, ptr %x0, i64 15
%93 = load ptr, ptr %92, align 8
%94 = getelementptr i64, ptr %x0, i64 16
%95 = load i64, ptr %94, align 8
%96 = getelementptr i64, ptr %x0, i64 17
%97 = load ptr, ptr %96, align 8
%98 = getelementptr i64, ptr %x0, i64 18
%99 = load i64, ptr %98, align 8
br label %k.13
k.13:
%f15 = phi i64 [%87, %more.6], [%110, %k.13]
%f16 = phi ptr [%77, %more.6], [%111, %k.13]
%f17 = phi ptr [%79, %more.6], [%112, %k.13]
%f18 = phi <16 x float> [zeroinitializer, %more.6], [%104, %k.13]
%f19 = phi <16 x float> [zeroinitializer, %more.6], [%109, %k.13]
%100 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f17, i32 4, <16 x i1> %76, <16 x float> zeroinitializer)
%101 = load float, ptr %f16, align 4
%102 = insertelement <16 x float> poison, float %101, i32 0
%103 = shufflevector <16 x float> %102, <16 x float> poison, <16 x i32> zeroinitializer
%104 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %103, <16 x float> %100, <16 x float> %f18)
%105 = getelementptr i8, ptr %f16, i64 %81
%106 = load float, ptr %105, align 4
%107 = insertelement <16 x float> poison, float %106, i32 0
%108 = shufflevector <16 x float> %107, <16 x float> poison, <16 x i32> zeroinitializer
%109 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %108, <16 x float> %100, <16 x float> %f19)
%110 = sub i64 %f15, 1
%111 = getelementptr i8, ptr %f16, i64 %83
%112 = getelementptr i8, ptr %f17, i64 %85
%113 = icmp ne i64 %110, 0
br i1 %113, label %k.13, label %sums.14
sums.14:
%114 = getelementptr i64, ptr %x0, i64 5
%115 = load ptr, ptr %114, align 8
%116 = getelementptr i64, ptr %x0, i64 6
%117 = load i64, ptr %116, align 8
%118 = getelementptr i64, ptr %x0, i64 11
%119 = load ptr, ptr %118, align 8
%120 = getelementptr i64, ptr %x0, i64 12
%121 = load i64, ptr %120, align 8
%122 = getelementptr i64, ptr %x0, i64 8
%123 = load i64, ptr %122, align 8
%124 = trunc i64 %123 to i32
%125 = insertelement <16 x i32> poison, i32 %124, i32 0
%126 = shufflevector <16 x i32> %125, <16 x i32> poison, <16 x i32> zeroinitializer
%127 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %126
%128 = getelementptr i64, ptr %x0, i64 10
%129 = load i64, ptr %128, align 8
%130 = icmp ne i64 %129, 0
%131 = insertelement <16 x i1> poison, i1 %130, i32 0
%132 = shufflevector <16 x i1> %131, <16 x i1> poison, <16 x i32> zeroinitializer
%133 = and <16 x i1> %127, %132
%134 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %119, i32 4, <16 x i1> %133, <16 x float> splat (float 0x8000000000000000))
%135 = fadd <16 x float> %134, %104
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %135, ptr %115, i32 4, <16 x i1> %127)
%136 = getelementptr i8, ptr %119, i64 %121
%137 = getelementptr i8, ptr %115, i64 %117
%138 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %136, i32 4, <16 x i1> %133, <16 x float> splat (float 0x8000000000000000))
%139 = fadd <16 x float> %138, %109
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %139, ptr %137, i32 4, <16 x i1> %127)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
