; module tile Tile(dtype='float32', rows=2, vectors=1, lanes=16, masks=True, table=False)
define void @k(ptr %x0)  {
entry.0:
%0 = getelementptr i64, ptr %x0, i64 7
%1 = load i64, ptr %0, align 8
%2 = getelementptr i64, ptr %x0, i64 11
%3 = load ptr, ptr %2, align 8
%4 = getelementptr i64, ptr %x0, i64 5
%5 = load ptr, ptr %4, align 8
%6 = getelementptr i64, ptr %x0, i64 12
%7 = load i64, ptr %6, align 8
%8 = getelementptr i64, ptr %x0, i64 6
%9 = load i64, ptr %8, align 8
br label %row.1
row.1:
%f3 = phi i64 [%1, %entry.0], [%10, %row.1]
%f4 = phi ptr [%3, %entry.0], [%11, %row.1]
%f5 = phi ptr [%5, %entry.0], [%12, %row.1]
%10 = sub i64 %f3, 1
%11 = getelementptr i8, ptr %f4, i64 %7
call void @"llvm.prefetch.p0"(ptr %f4, i32 0, i32 3, i32 1)
%12 = getelementptr i8, ptr %f5, i64 %9
call void @"llvm.prefetch.p0"(ptr %f5, i32 1, i32 3, i32 1)
%13 = icmp ne i64 %10, 0
br i1 %13, label %row.1, label %tile.2
tile.2:
%14 = icmp slt i64 %1, 2
br i1 %14, label %fewer.6, label %more.7
fewer.6:
%15 = getelementptr i64, ptr %x0, i64 8
%16 = load i64, ptr %15, align 8
%17 = trunc i64 %16 to i32
%18 = insertelement <16 x i32> poison, i32 %17, i32 0
%19 = shufflevector <16 x i32> %18, <16 x i32> poison, <16 x i32> zeroinitializer
%20 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %19
%21 = load ptr, ptr %x0, align 8
%22 = getelementptr i64, ptr %x0, i64 3
%23 = load ptr, ptr %22, align 8
%24 = getelementptr i64, ptr %x0, i64 1
%25 = load i64, ptr %24, align 8
%26 = getelementptr i64, ptr %x0, i64 2
%27 = load i64, ptr %26, align 8
%28 = getelementptr i64, ptr %x0, i64 4
%29 = load i64, ptr %28, align 8
%30 = getelementptr i64, ptr %x0, i64 9
%31 = load i64, ptr %30, align 8
%32 = getelementptr i64, ptr %x0, i64 14
%33 = load i64, ptr %32, align 8
%34 = add i64 8, %33
%35 = mul i64 %27, %34
br label %k.8
k.8:
%f10 = phi i64 [%31, %fewer.6], [%41, %k.8]
%f11 = phi ptr [%21, %fewer.6], [%42, %k.8]
%f12 = phi ptr [%23, %fewer.6], [%43, %k.8]
%f13 = phi <16 x float> [zeroinitializer, %fewer.6], [%40, %k.8]
%36 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f12, i32 4, <16 x i1> %20, <16 x float> zeroinitializer)
%37 = load float, ptr %f11, align 4
%38 = insertelement <16 x float> poison, float %37, i32 0
%39 = shufflevector <16 x float> %38, <16 x float> poison, <16 x i32> zeroinitializer
%40 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %39, <16 x float> %36, <16 x float> %f13)
%41 = sub i64 %f10, 1
%42 = getelementptr i8, ptr %f11, i64 %27
%43 = getelementptr i8, ptr %f12, i64 %29
%44 = icmp ne i64 %41, 0
br i1 %44, label %k.8, label %sums.9
sums.9:
%45 = getelementptr i64, ptr %x0, i64 5
%46 = load ptr, ptr %45, align 8
%47 = getelementptr i64, ptr %x0, i64 6
%48 = load i64, ptr %47, align 8
%49 = getelementptr i64, ptr %x0, i64 11
%50 = load ptr, ptr %49, align 8
%51 = getelementptr i64, ptr %x0, i64 12
%52 = load i64, ptr %51, align 8
%53 = getelementptr i64, ptr %x0, i64 8
%54 = load i64, ptr %53, align 8
%55 = trunc i64 %54 to i32
%56 = insertelement <16 x i32> poison, i32 %55, i32 0
%57 = shufflevector <16 x i32> %56, <16 x i32> poison, <16 x i32> zeroinitializer
%58 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %57
%59 = getelementptr i64, ptr %x0, i64 10
%60 = load i64, ptr %59, align 8
%61 = icmp ne i64 %60, 0
%62 = insertelement <16 x i1> poison, i1 %61, i32 0
%63 = shufflevector <16 x i1> %62, <16 x i1> poison, <16 x i32> zeroinitializer
%64 = and <16 x i1> %58, %63
%65 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %50, i32 4, <16 x i1> %64, <16 x float> splat (float 0x8000000000000000))
%66 = fadd <16 x float> %65, %40
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %66, ptr %46, i32 4, <16 x i1> %58)
ret void
more.7:
%67 = getelementptr i64, ptr %x0, i64 8
%68 = load i64, ptr %67, align 8
%69 = trunc i64 %68 to i32
%70 = insertelement <16 x i32> poison, i32 %69, i32 0
%71 = shufflevector <16 x i32> %70, <16 x i32> poison, <16 x i32> zeroinitializer
%72 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %71
%73 = load ptr, ptr %x0, align 8
%74 = getelementptr i64, ptr %x0, i64 3
%75 = load ptr, ptr %74, align 8
%76 = getelementptr i64, ptr %x0, i64 1
%77 = load i64, ptr %76, align 8
%78 = getelementptr i64, ptr %x0, i64 2
%79 = load i64, ptr %78, align 8
%80 = getelementptr i64, ptr %x0, i64 4
%81 = load i64, ptr %80, align 8
%82 = getelementptr i64, ptr %x0, i64 9
%83 = load i64, ptr %82, align 8
%84 = getelementptr i64, ptr %x0, i64 14
%85 = load i64, ptr %84, align 8
%86 = add i64 8, %85
%87 = mul i64 %79, %86
br label %k.14
k.14:
%f16 = phi i64 [%83, %more.7], [%98, %k.14]
%f17 = phi ptr [%73, %more.7], [%99, %k.14]
%f18 = phi ptr [%75, %more.7], [%100, %k.14]
%f19 = phi <16 x float> [zeroinitializer, %more.7], [%92, %k.14]
%f20 = phi <16 x float> [zeroinitializer, %more.7], [%97, %k.14]
%88 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f18, i32 4, <16 x i1> %72, <16 x float> zeroinitializer)
%89 = load float, ptr %f17, align 4
%90 = insertelement <16 x float> poison, float %89, i32 0
%91 = shufflevector <16 x float> %90, <16 x float> poison, <16 x i32> zeroinitializer
%92 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %91, <16 x float> %88, <16 x float> %f19)
%93 = getelementptr i8, ptr %f17, i64 %77
%94 = load float, ptr %93, align 4
%95 = insertelement <16 x float> poison, float %94, i32 0
%96 = shufflevector <16 x float> %95, <16 x float> poison, <16 x i32> zeroinitializer
%97 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %96, <16 x float> %88, <16 x float> %f20)
%98 = sub i64 %f16, 1
%99 = getelementptr i8, ptr %f17, i64 %79
%100 = getelementptr i8, ptr %f18, i64 %81
%101 = icmp ne i64 %98, 0
br i1 %101, label %k.14, label %sums.15
sums.15:
%102 = getelementptr i64, ptr %x0, i64 5
%103 = load ptr, ptr %102, align 8
%104 = getelementptr i64, ptr %x0, i64 6
%105 = load i64, ptr %104, align 8
%106 = getelementptr i64, ptr %x0, i64 11
%107 = load ptr, ptr %106, align 8
%108 = getelementptr i64, ptr %x0, i64 12
%109 = load i64, ptr %108, align 8
%110 = getelementptr i64, ptr %x0, i64 8
%111 = load i64, ptr %110, align 8
%112 = trunc i64 %111 to i32
%113 = insertelement <16 x i32> poison, i32 %112, i32 0
%114 = shufflevector <16 x i32> %113, <16 x i32> poison, <16 x i32> zeroinitializer
%115 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %114
%116 = getelementptr i64, ptr %x0, i64 10
%117 = load i64, ptr %116, align 8
%118 = icmp ne i64 %117, 0
%119 = insertelement <16 x i1> poison, i1 %118, i32 0
%120 = shufflevector <16 x i1> %119, <16 x i1> poison, <16 x i32> zeroinitializer
%121 = and <16 x i1> %115, %120
%122 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %107, i32 4, <16 x i1> %121, <16 x float> splat (float 0x8000000000000000))
%123 = fadd <16 x float> %122, %92
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %123, ptr %103, i32 4, <16 x i1> %115)
%124 = getelementptr i8, ptr %107, i64 %109
%125 = getelementptr i8, ptr %103, i64 %105
%126 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %124, i32 4, <16 x i1> %121, <16 x float> splat (float 0x8000000000000000))
%127 = fadd <16 x float> %126, %97
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %127, ptr %125, i32 4, <16 x i1> %115)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
