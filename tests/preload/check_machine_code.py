"""Disassembles the GPU code in libsgemm_shim.so: FP32 kernels multiply with FFMA, never on tensor cores, and keep
subnormal numbers. Exit status 77, skipped, where there is no cuobjdump."""
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FORBIDDEN = re.compile(r'\b(\w*(?:HMMA|HGMMA|IMMA|IGMMA|QGMMA|BMMA|BGMMA|DMMA|OMMA|UTC\w*MMA)\w*[.\w]*)'
                       r'|\b(F(?:FMA|MUL|ADD)\d?(?:\.\w+)*\.FTZ)\b')
SAMPLES = {
    'HMMA.1688.F32.TF32 R4, R8, R12, R4 ;': True,
    'HGMMA.64x128x8.F32.TF32 R24, gdesc[UR4], R24 ;': True,
    'UTCHMMA gdesc[UR6], gdesc[UR8], tmem[UR4] ;': True,
    'FFMA.FTZ R5, R4, R2, R5 ;': True,
    'FMUL.RZ.FTZ R5, R4, R2 ;': True,
    'FFMA R5, R4, R2, R5 ;': False,
    'IMAD.WIDE R4, R4, R5, c[0x0][0x160] ;': False,
}


def main():
    wrong = [text for text, forbidden in SAMPLES.items() if bool(FORBIDDEN.search(text)) != forbidden]
    if wrong:
        print('the pattern misjudges:', *wrong, sep='\n  ')
        return 1
    cuobjdump = shutil.which(sys.argv[2]) if len(sys.argv) > 2 else None
    if cuobjdump is None:
        print('skipped: no cuobjdump')
        return SKIPPED
    text = subprocess.run([cuobjdump, '--dump-sass', sys.argv[1]], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    functions = re.split(r'\s+Function : ', text)[1:]
    failed = not functions
    for function in functions:
        name = function.split('\n', 1)[0]
        found = {match[0] or match[1] for match in FORBIDDEN.findall(function)}
        if found or 'FFMA' not in function:
            print('%s: %s' % (name, ' '.join(sorted(found)) or 'no FFMA'))
            failed = True
    print('%d functions for %s' % (len(functions), ' '.join(sorted(set(re.findall(r'arch = (\w+)', text))))))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
