; module tile Tile(dtype='float32', rows=2, vectors=1, lanes=16, masks=True)
define void @k(ptr %x0)  {
entry.0:
%0 = getelementptr i64, ptr %x0, i64 7
%1 = load i64, ptr %0, align 8
%2 = icmp slt i64 %1, 2
br i1 %2, label %fewer.1, label %more.2
fewer.1:
%3 = getelementptr i64, ptr %x0, i64 11
%4 = load ptr, ptr %3, align 8
%5 = getelementptr i64, ptr %x0, i64 12
%6 = load i64, ptr %5, align 8
call void @"llvm.prefetch.p0"(ptr %4, i32 0, i32 3, i32 1)
%7 = getelementptr i64, ptr %x0, i64 5
%8 = load ptr, ptr %7, align 8
%9 = getelementptr i64, ptr %x0, i64 6
%10 = load i64, ptr %9, align 8
call void @"llvm.prefetch.p0"(ptr %8, i32 1, i32 3, i32 1)
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
br label %k.3
k.3:
%f5 = phi i64 [%27, %fewer.1], [%33, %k.3]
%f6 = phi ptr [%17, %fewer.1], [%34, %k.3]
%f7 = phi ptr [%19, %fewer.1], [%35, %k.3]
%f8 = phi <16 x float> [zeroinitializer, %fewer.1], [%32, %k.3]
%28 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f7, i32 4, <16 x i1> %16, <16 x float> zeroinitializer)
%29 = load float, ptr %f6, align 4
%30 = insertelement <16 x float> poison, float %29, i32 0
%31 = shufflevector <16 x float> %30, <16 x float> poison, <16 x i32> zeroinitializer
%32 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %31, <16 x float> %28, <16 x float> %f8)
%33 = sub i64 %f5, 1
%34 = getelementptr i8, ptr %f6, i64 %23
%35 = getelementptr i8, ptr %f7, i64 %25
%36 = icmp ne i64 %33, 0
br i1 %36, label %k.3, label %sums.4
sums.4:
%37 = getelementptr i64, ptr %x0, i64 5
%38 = load ptr, ptr %37, align 8
%39 = getelementptr i64, ptr %x0, i64 6
%40 = load i64, ptr %39, align 8
%41 = getelementptr i64, ptr %x0, i64 11
%42 = load ptr, ptr %41, align 8
%43 = getelementptr i64, ptr %x0, i64 12
%44 = load i64, ptr %43, align 8
%45 = getelementptr i64, ptr %x0, i64 8
%46 = load i64, ptr %45, align 8
%47 = trunc i64 %46 to i32
%48 = insertelement <16 x i32> poison, i32 %47, i32 0
%49 = shufflevector <16 x i32> %48, <16 x i32> poison, <16 x i32> zeroinitializer
%50 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %49
%51 = getelementptr i64, ptr %x0, i64 10
%52 = load i64, ptr %51, align 8
%53 = icmp ne i64 %52, 0
%54 = insertelement <16 x i1> poison, i1 %53, i32 0
%55 = shufflevector <16 x i1> %54, <16 x i1> poison, <16 x i32> zeroinitializer
%56 = and <16 x i1> %50, %55
%57 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %42, i32 4, <16 x i1> %56, <16 x float> splat (float 0x8000000000000000))
%58 = fadd <16 x float> %57, %32
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %58, ptr %38, i32 4, <16 x i1> %50)
ret void
more.2:
%59 = getelementptr i64, ptr %x0, i64 11
%60 = load ptr, ptr %59, align 8
%61 = getelementptr i64, ptr %x0, i64 12
%62 = load i64, ptr %61, align 8
call void @"llvm.prefetch.p0"(ptr %60, i32 0, i32 3, i32 1)
%63 = getelementptr i8, ptr %60, i64 %62
call void @"llvm.prefetch.p0"(ptr %63, i32 0, i32 3, i32 1)
%64 = getelementptr i64, ptr %x0, i64 5
%65 = load ptr, ptr %64, align 8
%66 = getelementptr i64, ptr %x0, i64 6
%67 = load i64, ptr %66, align 8
call void @"llvm.prefetch.p0"(ptr %65, i32 1, i32 3, i32 1)
%68 = getelementptr i8, ptr %65, i64 %67
call void @"llvm.prefetch.p0"(ptr %68, i32 1, i32 3, i32 1)
%69 = getelementptr i64, ptr %x0, i64 8
%70 = load i64, ptr %69, align 8
%71 = trunc i64 %70 to i32
%72 = insertelement <16 x i32> poison, i32 %71, i32 0
%73 = shufflevector <16 x i32> %72, <16 x i32> poison, <16 x i32> zeroinitializer
%74 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %73
%75 = load ptr, ptr %x0, align 8
%76 = getelementptr i64, ptr %x0, i64 3
%77 = load ptr, ptr %76, align 8
%78 = getelementptr i64, ptr %x0, i64 1
%79 = load i64, ptr %78, align 8
%80 = getelementptr i64, ptr %x0, i64 2
%81 = load i64, ptr %80, align 8
%82 = getelementptr i64, ptr %x0, i64 4
%83 = load i64, ptr %82, align 8
%84 = getelementptr i64, ptr %x0, i64 9
%85 = load i64, ptr %84, align 8
br label %k.9
k.9:
%f11 = phi i64 [%85, %more.2], [%96, %k.9]
%f12 = phi ptr [%75, %more.2], [%97, %k.9]
%f13 = phi ptr [%77, %more.2], [%98, %k.9]
%f14 = phi <16 x float> [zeroinitializer, %more.2], [%90, %k.9]
%f15 = phi <16 x float> [zeroinitializer, %more.2], [%95, %k.9]
%86 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f13, i32 4, <16 x i1> %74, <16 x float> zeroinitializer)
%87 = load float, ptr %f12, align 4
%88 = insertelement <16 x float> poison, float %87, i32 0
%89 = shufflevector <16 x float> %88, <16 x float> poison, <16 x i32> zeroinitializer
%90 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %89, <16 x float> %86, <16 x float> %f14)
%91 = getelementptr i8, ptr %f12, i64 %79
%92 = load float, ptr %91, align 4
%93 = insertelement <16 x float> poison, float %92, i32 0
%94 = shufflevector <16 x float> %93, <16 x float> poison, <16 x i32> zeroinitializer
%95 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %94, <16 x float> %86, <16 x float> %f15)
%96 = sub i64 %f11, 1
%97 = getelementptr i8, ptr %f12, i64 %81
%98 = getelementptr i8, ptr %f13, i64 %83
%99 = icmp ne i64 %96, 0
br i1 %99, label %k.9, label %sums.10
sums.10:
%100 = getelementptr i64, ptr %x0, i64 5
%101 = load ptr, ptr %100, align 8
%102 = getelementptr i64, ptr %x0, i64 6
%103 = load i64, ptr %102, align 8
%104 = getelementptr i64, ptr %x0, i64 11
%105 = load ptr, ptr %104, align 8
%106 = getelementptr i64, ptr %x0, i64 12
%107 = load i64, ptr %106, align 8
%108 = getelementptr i64, ptr %x0, i64 8
%109 = load i64, ptr %108, align 8
%110 = trunc i64 %109 to i32
%111 = insertelement <16 x i32> poison, i32 %110, i32 0
%112 = shufflevector <16 x i32> %111, <16 x i32> poison, <16 x i32> zeroinitializer
%113 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %112
%114 = getelementptr i64, ptr %x0, i64 10
%115 = load i64, ptr %114, align 8
%116 = icmp ne i64 %115, 0
%117 = insertelement <16 x i1> poison, i1 %116, i32 0
%118 = shufflevector <16 x i1> %117, <16 x i1> poison, <16 x i32> zeroinitializer
%119 = and <16 x i1> %113, %118
%120 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %105, i32 4, <16 x i1> %119, <16 x float> splat (float 0x8000000000000000))
%121 = fadd <16 x float> %120, %90
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %121, ptr %101, i32 4, <16 x i1> %113)
%122 = getelementptr i8, ptr %105, i64 %107
%123 = getelementptr i8, ptr %101, i64 %103
%124 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %122, i32 4, <16 x i1> %119, <16 x float> splat (float 0x8000000000000000))
%125 = fadd <16 x float> %124, %95
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %125, ptr %123, i32 4, <16 x i1> %113)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
