; module tile Tile(dtype='float32', rows=2, vectors=1, lanes=16, masks=True)
define void @k(ptr %x0)  {
entry.0:
%0 = getelementptr i64, ptr %x0, i64 7
%1 = load i64, ptr %0, align 8
%2 = icmp slt i64 %1, 2
br i1 %2, label %fewer.1, label %more.2
fewer.1:
%3 = getelementptr i64, ptr %x0, i64 5
%4 = load ptr, ptr %3, align 8
%5 = getelementptr i64, ptr %x0, i64 6
%6 = load i64, ptr %5, align 8
call void @"llvm.prefetch.p0"(ptr %4, i32 1, i32 3, i32 1)
%7 = getelementptr i64, ptr %x0, i64 8
%8 = load i64, ptr %7, align 8
%9 = trunc i64 %8 to i32
%10 = insertelement <16 x i32> poison, i32 %9, i32 0
%11 = shufflevector <16 x i32> %10, <16 x i32> poison, <16 x i32> zeroinitializer
%12 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %11
%13 = load ptr, ptr %x0, align 8
%14 = getelementptr i64, ptr %x0, i64 3
%15 = load ptr, ptr %14, align 8
%16 = getelementptr i64, ptr %x0, i64 1
%17 = load i64, ptr %16, align 8
%18 = getelementptr i64, ptr %x0, i64 2
%19 = load i64, ptr %18, align 8
%20 = getelementptr i64, ptr %x0, i64 4
%21 = load i64, ptr %20, align 8
%22 = getelementptr i64, ptr %x0, i64 9
%23 = load i64, ptr %22, align 8
br label %k.3
k.3:
%f5 = phi i64 [%23, %fewer.1], [%29, %k.3]
%f6 = phi ptr [%13, %fewer.1], [%30, %k.3]
%f7 = phi ptr [%15, %fewer.1], [%31, %k.3]
%f8 = phi <16 x float> [zeroinitializer, %fewer.1], [%28, %k.3]
%24 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f7, i32 4, <16 x i1> %12, <16 x float> zeroinitializer)
%25 = load float, ptr %f6, align 4
%26 = insertelement <16 x float> poison, float %25, i32 0
%27 = shufflevector <16 x float> %26, <16 x float> poison, <16 x i32> zeroinitializer
%28 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %27, <16 x float> %24, <16 x float> %f8)
%29 = sub i64 %f5, 1
%30 = getelementptr i8, ptr %f6, i64 %19
%31 = getelementptr i8, ptr %f7, i64 %21
%32 = icmp ne i64 %29, 0
br i1 %32, label %k.3, label %sums.4
sums.4:
%33 = getelementptr i64, ptr %x0, i64 5
%34 = load ptr, ptr %33, align 8
%35 = getelementptr i64, ptr %x0, i64 6
%36 = load i64, ptr %35, align 8
%37 = getelementptr i64, ptr %x0, i64 8
%38 = load i64, ptr %37, align 8
%39 = trunc i64 %38 to i32
%40 = insertelement <16 x i32> poison, i32 %39, i32 0
%41 = shufflevector <16 x i32> %40, <16 x i32> poison, <16 x i32> zeroinitializer
%42 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %41
%43 = getelementptr i64, ptr %x0, i64 10
%44 = load i64, ptr %43, align 8
%45 = icmp ne i64 %44, 0
%46 = insertelement <16 x i1> poison, i1 %45, i32 0
%47 = shufflevector <16 x i1> %46, <16 x i1> poison, <16 x i32> zeroinitializer
%48 = and <16 x i1> %42, %47
%49 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %34, i32 4, <16 x i1> %48, <16 x float> splat (float 0x8000000000000000))
%50 = fadd <16 x float> %49, %28
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %50, ptr %34, i32 4, <16 x i1> %42)
ret void
more.2:
%51 = getelementptr i64, ptr %x0, i64 5
%52 = load ptr, ptr %51, align 8
%53 = getelementptr i64, ptr %x0, i64 6
%54 = load i64, ptr %53, align 8
call void @"llvm.prefetch.p0"(ptr %52, i32 1, i32 3, i32 1)
%55 = getelementptr i8, ptr %52, i64 %54
call void @"llvm.prefetch.p0"(ptr %55, i32 1, i32 3, i32 1)
%56 = getelementptr i64, ptr %x0, i64 8
%57 = load i64, ptr %56, align 8
%58 = trunc i64 %57 to i32
%59 = insertelement <16 x i32> poison, i32 %58, i32 0
%60 = shufflevector <16 x i32> %59, <16 x i32> poison, <16 x i32> zeroinitializer
%61 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %60
%62 = load ptr, ptr %x0, align 8
%63 = getelementptr i64, ptr %x0, i64 3
%64 = load ptr, ptr %63, align 8
%65 = getelementptr i64, ptr %x0, i64 1
%66 = load i64, ptr %65, align 8
%67 = getelementptr i64, ptr %x0, i64 2
%68 = load i64, ptr %67, align 8
%69 = getelementptr i64, ptr %x0, i64 4
%70 = load i64, ptr %69, align 8
%71 = getelementptr i64, ptr %x0, i64 9
%72 = load i64, ptr %71, align 8
br label %k.9
k.9:
%f11 = phi i64 [%72, %more.2], [%83, %k.9]
%f12 = phi ptr [%62, %more.2], [%84, %k.9]
%f13 = phi ptr [%64, %more.2], [%85, %k.9]
%f14 = phi <16 x float> [zeroinitializer, %more.2], [%77, %k.9]
%f15 = phi <16 x float> [zeroinitializer, %more.2], [%82, %k.9]
%73 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %f13, i32 4, <16 x i1> %61, <16 x float> zeroinitializer)
%74 = load float, ptr %f12, align 4
%75 = insertelement <16 x float> poison, float %74, i32 0
%76 = shufflevector <16 x float> %75, <16 x float> poison, <16 x i32> zeroinitializer
%77 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %76, <16 x float> %73, <16 x float> %f14)
%78 = getelementptr i8, ptr %f12, i64 %66
%79 = load float, ptr %78, align 4
%80 = insertelement <16 x float> poison, float %79, i32 0
%81 = shufflevector <16 x float> %80, <16 x float> poison, <16 x i32> zeroinitializer
%82 = call <16 x float> @"llvm.fma.v16f32"(<16 x float> %81, <16 x float> %73, <16 x float> %f15)
%83 = sub i64 %f11, 1
%84 = getelementptr i8, ptr %f12, i64 %68
%85 = getelementptr i8, ptr %f13, i64 %70
%86 = icmp ne i64 %83, 0
br i1 %86, label %k.9, label %sums.10
sums.10:
%87 = getelementptr i64, ptr %x0, i64 5
%88 = load ptr, ptr %87, align 8
%89 = getelementptr i64, ptr %x0, i64 6
%90 = load i64, ptr %89, align 8
%91 = getelementptr i64, ptr %x0, i64 8
%92 = load i64, ptr %91, align 8
%93 = trunc i64 %92 to i32
%94 = insertelement <16 x i32> poison, i32 %93, i32 0
%95 = shufflevector <16 x i32> %94, <16 x i32> poison, <16 x i32> zeroinitializer
%96 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %95
%97 = getelementptr i64, ptr %x0, i64 10
%98 = load i64, ptr %97, align 8
%99 = icmp ne i64 %98, 0
%100 = insertelement <16 x i1> poison, i1 %99, i32 0
%101 = shufflevector <16 x i1> %100, <16 x i1> poison, <16 x i32> zeroinitializer
%102 = and <16 x i1> %96, %101
%103 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %88, i32 4, <16 x i1> %102, <16 x float> splat (float 0x8000000000000000))
%104 = fadd <16 x float> %103, %77
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %104, ptr %88, i32 4, <16 x i1> %96)
%105 = getelementptr i8, ptr %88, i64 %90
%106 = call <16 x float> @"llvm.masked.load.v16f32.p0"(ptr %105, i32 4, <16 x i1> %102, <16 x float> splat (float 0x8000000000000000))
%107 = fadd <16 x float> %106, %82
call void @"llvm.masked.store.v16f32.p0"(<16 x float> %107, ptr %105, i32 4, <16 x i1> %96)
ret void
}
declare void @"llvm.prefetch.p0"(ptr, i32, i32, i32)
declare <16 x float> @"llvm.masked.load.v16f32.p0"(ptr, i32, <16 x i1>, <16 x float>)
declare <16 x float> @"llvm.fma.v16f32"(<16 x float>, <16 x float>, <16 x float>)
declare void @"llvm.masked.store.v16f32.p0"(<16 x float>, ptr, i32, <16 x i1>)
!0 = !{!"branch_weights", i32 99, i32 1}
!1 = !{!"branch_weights", i32 1, i32 99}
