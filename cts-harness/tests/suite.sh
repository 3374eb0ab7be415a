#!/bin/bash
# Stands for a binary of the suite: keeps its conventions, and its sub-tests end as their names say.
# As test_conversions it runs its one sub-test by itself, and what it is given on top.
# It notes every sub-test that starts in $FAKE_NOTES.
names="pass_one pass_two fail skip skip_version crash crash_after hang leave_child exit_three silent_fail"
[ "${0##*/}" = test_conversions ] && names=pass_one
if [ "$1" = --list ]; then printf '\t%s\n' $names; exit 0; fi

tests=()
[ "${0##*/}" = test_conversions ] && tests=(pass_one)
while [ $# -gt 0 ]; do
    case "$1" in
        --compilation-program) printf 'compiler: %s\n' "$2"; shift 2 ;;
        -*) shift ;;
        spir-v) shift ;;
        *) [[ " $names " == *" $1 "* ]] && tests+=("$1"); shift ;;
    esac
done
echo "Compute Device Name = Fake, Compute Device Version = OpenCL 3.0"
[ -e "$OCL_ICD_VENDORS/oxicl.icd" ] || { echo "no vendors folder"; exit 9; }
[ -e data.txt ] || { echo "not the folder with the data"; exit 9; }

results=()
status=0
for test in "${tests[@]}"; do
    echo "$test..."
    [ -n "$FAKE_NOTES" ] && echo "$test" >> "$FAKE_NOTES"
    case "$test" in
        pass_*) echo "$test passed"; result=pass ;;
        fail) echo "ERROR: 1 is not 2"; echo "$test FAILED"; result=fail; status=1 ;;
        skip) echo "no images"; echo "$test test not supported"; result=skip ;;
        skip_version) echo "$test skipped (requires at least OpenCL version 3.1, but the device has less)"; result=skip ;;
        crash) echo "about to crash"; kill -SEGV $$ ;;
        crash_after) echo "$test passed"; kill -ABRT $$ ;;
        hang) echo "waiting"; sleep 1000 ;;
        # A child that outlives the binary and holds its output open.
        leave_child) sleep 1000 & echo "$test passed"; result=pass ;;
        exit_three) echo "giving up"; exit 3 ;;
        # The suite's file of results knows better than its output.
        silent_fail) echo "$test passed"; result=fail; status=1 ;;
    esac
    results+=("\"$test\": \"$result\"")
done
(IFS=,; echo "{\"cmd\": \"fake\", \"results\": {${results[*]}}}") > "$CL_CONFORMANCE_RESULTS_FILENAME"
exit $status
