"""check_cases.py FAULTS.CSV CASES.CSV PROGRAM=PATH...

Every fault of faults.csv has a row in cases.csv and every row a fault; a row of runner `test` names a test case that
its program (or a function that its Python script) really has; and the rows that nothing can run yet are the ones
listed here, so that their number cannot grow unseen. What the other names in a row must be, the programs that run
the rows check themselves."""
import csv
import re
import subprocess
import sys

FAULTS = 79

# What is not within reach of any test yet. A row that becomes reachable is taken out here too.
PENDING = []


def names_in(path):
    if path.endswith('.py'):
        return set(re.findall(r'^def (\w+)\(', open(path).read(), re.M))
    listing = subprocess.run([path, '--list-test-cases'], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {line.strip() for line in listing.splitlines()}


def problems(faults, rows, programs):
    ids = [fault['id'] for fault in faults]
    if len(ids) != FAULTS or len(set(ids)) != FAULTS:
        yield '%d faults, %d of them different, instead of %d' % (len(ids), len(set(ids)), FAULTS)
    runners = {row['id'] for row in rows}
    for fault in sorted(set(ids) - runners):
        yield '%s has no runner' % fault
    for fault in sorted(runners - set(ids)):
        yield '%s is no fault of the list' % fault
    pending = sorted(row['id'] for row in rows if row['runner'] == 'pending')
    if pending != PENDING:
        yield 'pending are %s, and should be %s' % (' '.join(pending), ' '.join(PENDING))
    for row in rows:
        if row['runner'] != 'test':
            continue
        program, _, name = row['call'].partition(': ')
        if program not in programs:
            yield '%s: no program %s' % (row['id'], program)
        elif name not in programs[program]:
            yield "%s: %s has no test case '%s'" % (row['id'], program, name)


def self_test(faults, rows, programs):
    """Each check must notice what it is there for."""
    spoiled = [
        (faults, [row for row in rows if row['id'] != 'R01'], programs),
        (faults, rows + [dict(rows[0], id='R00')], programs),
        (faults[1:], rows, programs),
        (faults, rows + [dict(rows[0], runner='pending')], programs),
        (faults, rows + [dict(rows[0], runner='test', call='unit_tests: no such case')], programs),
        (faults, rows + [dict(rows[0], runner='test', call='no_such_program: x')], programs),
    ]
    return [i for i, arguments in enumerate(spoiled) if not list(problems(*arguments))]


def main():
    faults, rows = (list(csv.DictReader(open(path, newline=''))) for path in sys.argv[1:3])
    programs = {name: names_in(path) for name, _, path in (word.partition('=') for word in sys.argv[3:])}
    found = list(problems(faults, rows, programs))
    print(*found, sep='\n')
    print('%d faults, %d rows, %d pending' % (len(faults), len(rows), len(PENDING)))
    blind = self_test(faults, rows, programs)
    if blind:
        print('checks that notice nothing:', *blind)
    return 1 if found or blind else 0


if __name__ == '__main__':
    sys.exit(main())
