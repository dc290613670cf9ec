"""Recordings with made-up numbers, in the benchmark's own columns, for the tests of the scripts."""
PROVENANCE = """# gpu: Made Up
# driver: 1.2
# cuda_runtime: 13.0.0
# cublas: 13.1.0
# peak_tflops: 65.4
# date: {date}T00:00:00Z
# commit: abc
# seed: 77
"""
COLUMNS = ("name,layout,m,n,k,transA,transB,batch,ld_pad,misalign,count,asked,kernel,mode,status,us,cublas_us,ratio,tflops,cublas_tflops,"
           "roofline_fraction,cublas_roofline_fraction,note")


def row(name, m, n, k, kernel, tflops, cublas_tflops, operations="NN", mode="warm", layout="row", status="ok",
        batch=1, ld_pad=0, misalign="0/0/0", count=1, served=None):
    a, b = operations
    us, cublas_us = (2e-6 * m * n * k / speed for speed in (tflops, cublas_tflops))
    figures = [us, cublas_us, tflops / cublas_tflops, tflops, cublas_tflops, tflops / 65.4, cublas_tflops / 65.4]
    figures = [f"{value:.6g}" if status == "ok" else "" for value in figures]
    return ",".join(map(str, [name, layout, m, n, k, a, b, batch, ld_pad, misalign, count, kernel, served or kernel, mode,
                              status, *figures, '"a, b"']))


def write(directory, date, kind, rows, columns=COLUMNS):
    directory.mkdir(exist_ok=True)
    text = PROVENANCE.format(date=date) + "\n".join([columns, *rows, "# sm_clock_after_mhz: 1980"]) + "\n"
    (directory / f"{date}-{kind}.csv").write_text(text)


def write_recordings(directory):
    ladder = [row(f"{size}_NN", size, size, size, kernel, speed * size / 1024, 12.5 * size / 1024)
              for size in (1024, 4096) for kernel, speed in (("naive", 1), ("double_buffer", 10))]
    write(directory, "2026-01-01", "ladder", ladder[:1])
    write(directory, "2026-02-02", "ladder", ladder)
    write(directory, "2026-02-02", "transpositions",
          [row(f"4096_{pair}", 4096, 4096, 4096, "naive", speed, 50, pair, layout="column")
           for pair, speed in (("NN", 4), ("NT", 4), ("TN", 1), ("TT", 4))])
    write(directory, "2026-02-02", "squares",
          [row(f"{size}_{pair}", size, size, size, "auto", 30, 25, pair, mode, "column")
           for size in (1024, 4096) for pair in ("NN", "NT", "TN", "TT") for mode in ("warm", "cold")])
    write(directory, "2026-02-02", "small-squares",
          [row(f"{size}_NN", size, size, size, "auto", speed, 8, mode=mode, layout="column")
           for size, speed in ((128, 16), (384, 4)) for mode in ("warm", "cold")])
    write(directory, "2026-02-02", "unaligned",
          [row("1024_NN" + name, 1024, 1024, 1024, "auto", speed, 25, mode=mode, layout="column", ld_pad=ld_pad,
               misalign=misalign)
           for name, speed, ld_pad, misalign in (("", 40, 0, "0/0/0"), ("_misaligned", 30, 0, "1/1/1"),
                                                 ("_ld+1", 36, 1, "0/0/0"))
           for mode in ("warm", "cold")])
    write(directory, "2026-02-02", "random",
          [row(f"{index}x10x20_TN", index, 10, 20, "auto", index, 60, "TN", mode, "column",
               served="cublas" if index == 60 else "double_buffer")
           for index in range(1, 121) for mode in ("warm", "cold")])
    write(directory, "2026-02-02", "shapes",
          [row(name, m, 10, 20, "auto", speed, 20, mode=mode, layout="column", status=status)
           for name, m, speed, status in (("thin", 30, 30, "ok"), ("tall", 3000, 10, "ok"),
                                          ("failed_shape", 5, 1, "failed"))
           for mode in ("warm", "cold")]
          + [row("often", 7, 7, 7, "auto", speed, 20, batch=10, count=count)
             for speed, count in ((40, 3), (320, 1))])
    write(directory, "2026-02-02", "host-cost", ["auto,squares,8,120.4,150.6,400", "naive,uneven,7,10,20,"],
          columns="asked,calls,served,plan_ns,launch_ns,whole_ns")
    write(directory, "2026-02-02", "second-source",
          [row("row_major_32x1605632x27_NN", 32, 1605632, 27, kernel, speed, 16)
           for kernel, speed in (("naive", 5), ("double_buffer", 10))])
