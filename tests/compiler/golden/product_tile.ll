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
br label %k.8
k.8:
%f10 = phi i64 [%31, %fewer.6], [%37, %k.8]
%f11 = phi ptr [%21, %fewer.6], [%38, %k.8]
%f12 = phi ptr [%23, %fewer.6], [%39, %k.8]
%f13 = phi <16 x float> [zeroinitializer, %fewer.6], [%36, %k.8]
%32 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f12, i32 4, <16 x i1> %20, <16 x float> zeroinitializer)
%33 = load float, ptr %f11, align 4
%34 = insertelement <16 x float> poison, float %33, i32 0
%35 = shufflevector <16 x float> %34, <16 x float> poison, <16 x i32> zeroinitializer
%36 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %35, <16 x float> %32, <16 x float> %f13)
%37 = sub i64 %f10, 1
%38 = getelementptr i8, ptr %f11, i64 %27
%39 = getelementptr i8, ptr %f12, i64 %29
%40 = icmp ne i64 %37, 0
br i1 %40, label %k.8, label %sums.9
sums.9:
%41 = getelementptr i64, ptr %x0, i64 5
%42 = load ptr, ptr %41, align 8
%43 = getelementptr i64, ptr %x0, i64 6
%44 = load i64, ptr %43, align 8
%45 = getelementptr i64, ptr %x0, i64 11
%46 = load ptr, ptr %45, align 8
%47 = getelementptr i64, ptr %x0, i64 12
%48 = load i64, ptr %47, align 8
%49 = getelementptr i64, ptr %x0, i64 8
%50 = load i64, ptr %49, align 8
%51 = trunc i64 %50 to i32
%52 = insertelement <16 x i32> poison, i32 %51, i32 0
%53 = shufflevector <16 x i32> %52, <16 x i32> poison, <16 x i32> zeroinitializer
%54 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %53
%55 = getelementptr i64, ptr %x0, i64 10
%56 = load i64, ptr %55, align 8
%57 = icmp ne i64 %56, 0
%58 = insertelement <16 x i1> poison, i1 %57, i32 0
%59 = shufflevector <16 x i1> %58, <16 x i1> poison, <16 x i32> zeroinitializer
%60 = and <16 x i1> %54, %59
%61 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %46, i32 4, <16 x i1> %60, <16 x float> splat (float 0x8000000000000000))
%62 = fadd <16 x float> %61, %36
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %62, ptr %42, i32 4, <16 x i1> %54)
ret void
more.7:
%63 = getelementptr i64, ptr %x0, i64 8
%64 = load i64, ptr %63, align 8
%65 = trunc i64 %64 to i32
%66 = insertelement <16 x i32> poison, i32 %65, i32 0
%67 = shufflevector <16 x i32> %66, <16 x i32> poison, <16 x i32> zeroinitializer
%68 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %67
%69 = load ptr, ptr %x0, align 8
%70 = getelementptr i64, ptr %x0, i64 3
%71 = load ptr, ptr %70, align 8
%72 = getelementptr i64, ptr %x0, i64 1
%73 = load i64, ptr %72, align 8
%74 = getelementptr i64, ptr %x0, i64 2
%75 = load i64, ptr %74, align 8
%76 = getelementptr i64, ptr %x0, i64 4
%77 = load i64, ptr %76, align 8
%78 = getelementptr i64, ptr %x0, i64 9
%79 = load i64, ptr %78, align 8
br label %k.14
k.14:
%f16 = phi i64 [%79, %more.7], [%90, %k.14]
%f17 = phi ptr [%69, %more.7], [%91, %k.14]
%f18 = phi ptr [%71, %more.7], [%92, %k.14]
%f19 = phi <16 x float> [zeroinitializer, %more.7], [%84, %k.14]
%f20 = phi <16 x float> [zeroinitializer, %more.7], [%89, %k.14]
%80 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f18, i32 4, <16 x i1> %68, <16 x float> zeroinitializer)
%81 = load float, ptr %f17, align 4
%82 = insertelement <16 x float> poison, float %81, i32 0
%83 = shufflevector <16 x float> %82, <16 x float> poison, <16 x i32> zeroinitializer
%84 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %83, <16 x float> %80, <16 x float> %f19)
%85 = getelementptr i8, ptr %f17, i64 %73
%86 = load float, ptr %85, align 4
%87 = insertelement <16 x float> poison, float %86, i32 0
%88 = shufflevector <16 x float> %87, <16 x float> poison, <16 x i32> zeroinitializer
%89 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %88, <16 x float> %80, <16 x float> %f20)
%90 = sub i64 %f16, 1
%91 = getelementptr i8, ptr %f17, i64 %75
%92 = getelementptr i8, ptr %f18, i64 %77
%93 = icmp ne i64 %90, 0
br i1 %93, label %k.14, label %sums.15
sums.15:
%94 = getelementptr i64, ptr %x0, i64 5
%95 = load ptr, ptr %94, align 8
%96 = getelementptr i64, ptr %x0, i64 6
%97 = load i64, ptr %96, align 8
%98 = getelementptr i64, ptr %x0, i64 11
%99 = load ptr, ptr %98, align 8
%100 = getelementptr i64, ptr %x0, i64 12
%101 = load i64, ptr %100, align 8
%102 = getelementptr i64, ptr %x0, i64 8
%103 = load i64, ptr %102, align 8
%104 = trunc i64 %103 to i32
%105 = insertelement <16 x i32> poison, i32 %104, i32 0
%106 = shufflevector <16 x i32> %105, <16 x i32> poison, <16 x i32> zeroinitializer
%107 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %106
%108 = getelementptr i64, ptr %x0, i64 10
%109 = load i64, ptr %108, align 8
%110 = icmp ne i64 %109, 0
%111 = insertelement <16 x i1> poison, i1 %110, i32 0
%112 = shufflevector <16 x i1> %111, <16 x i1> poison, <16 x i32> zeroinitializer
%113 = and <16 x i1> %107, %112
%114 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %99, i32 4, <16 x i1> %113, <16 x float> splat (float 0x8000000000000000))
%115 = fadd <16 x float> %114, %84
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %115, ptr %95, i32 4, <16 x i1> %107)
%116 = getelementptr i8, ptr %99, i64 %101
%117 = getelementptr i8, ptr %95, i64 %97
%118 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %116, i32 4, <16 x i1> %113, <16 x float> splat (float 0x8000000000000000))
%119 = fadd <16 x float> %118, %89
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %119, ptr %117, i32 4, <16 x i1> %107)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
