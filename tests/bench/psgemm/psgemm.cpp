// ScaLAPACK's psgemm on two ranks: the product of two n×n matrices, in seconds per product (the median of several).
// Fails if the product is wrong. usage: mpirun -n 2 psgemm [n]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
void Cblacs_pinfo(int*, int*);
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
               int*);
void psgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
             const int*, const int*, const float*, const int*, const int*, const int*, const float*, float*, const int*,
             const int*, const int*);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 2048, block = 128, zero = 0, one = 1;
  int rank, ranks, context, rows, columns, row, column, info;
  Cblacs_pinfo(&rank, &ranks);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", 1, ranks);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const int local_rows = numroc_(&n, &block, &row, &zero, &rows),
            local_columns = numroc_(&n, &block, &column, &zero, &columns);
  int descriptor[9];
  descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &local_rows, &info);
  std::vector<float> a(static_cast<size_t>(local_rows) * local_columns, 0.5f), b = a, c = a;
  const float alpha = 1, beta = 0;
  std::vector<double> times;
  for (int i = 0; i < 8; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    psgemm_("N", "N", &n, &n, &n, &alpha, a.data(), &one, &one, descriptor, b.data(), &one, &one, descriptor, &beta,
            c.data(), &one, &one, descriptor);
    MPI_Barrier(MPI_COMM_WORLD);
    if (i > 1) times.push_back(MPI_Wtime() - start);
  }
  for (const float number : c) {
    if (number != 0.25f * static_cast<float>(n)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.5f\n", times[times.size() / 2]);
  MPI_Finalize();
}
