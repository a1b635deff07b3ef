#!/bin/sh
# alert.sh DIR COMMAND [ARGUMENT…]: runs COMMAND for each execution that fails or is canceled, with its event on stdin.
# DIR, for one alert.sh, keeps the place across restarts; its files grow. A COMMAND that fails is run again after 10 s,
# one that was killed together with this script at its next start: `execution` in the event is the same then.
: "${2:?usage: alert.sh DIR COMMAND [ARGUMENT...]}"
dir=$1 && shift && mkdir -p "$dir" && touch "$dir/events" "$dir/done" || exit
failed='.channel == "lag" and .value.dropped != null or .execution != null and (.error.data.startsAgain | not)'
while :; do
    tail -n "+$(($(wc -l <"$dir/done") + 1))" "$dir/events" | while read -r event; do
        case $(printf '%s\n' "$event" | jq "$failed") in
        true) printf '%s\n' "$event" | "$@" ;; false) ;; *) false ;; esac || exit
        echo >>"$dir/done"
    done || { sleep 10 && continue; }
    rxctl subscribe '*' --channel errors --cursor-file "$dir/cursor" --count 1 --wait 1m >>"$dir/events" || sleep 1
done
