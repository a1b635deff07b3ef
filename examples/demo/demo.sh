#!/usr/bin/env bash
# rxd in a minute: starts it on a private socket with the configuration beside this file, and shows a session.
#
#   examples/demo/demo.sh     the programs of `swift build`, or of BIN=DIRECTORY
#
# It is a test too: it exits with 1 at the first difference from the expected output. On the screen, no line is longer
# than 80 columns: commands go on in the next line, and output that is longer ends with an ellipsis.
set -euo pipefail
unset LC_ALL
export LC_NUMERIC=C      # the point in EPOCHREALTIME
export LC_CTYPE=C.UTF-8  # lengths are in characters
columns=80
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [[ -z ${BIN:-} ]]; then
    swift build --product rxd
    swift build --product rxctl
    BIN=$(swift build --show-bin-path)
fi
PATH=$(cd "$BIN" && pwd):$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/rxd-demo.XXXXXX")
export RXD_SOCKET=$work/rxd.sock
daemon= reader=

leave() {
    local status=$?
    # Whoever reads this may have left; what was started must end all the same.
    trap '' PIPE
    set +e
    # Only what the demo has not seen end.
    [[ -n $reader ]] && kill "$reader" 2>/dev/null
    [[ -n $daemon ]] && kill -KILL "$daemon" 2>/dev/null
    if ((status)) && [[ -s $work/rxd.log ]]; then
        echo "--- the log of rxd:" >&2
        cat "$work/rxd.log" >&2
    fi
    rm -rf "$work"
    exit "$status"
}
trap leave EXIT

differs() {
    echo "demo: $*" >&2
    exit 1
}

say() {
    echo
    fold -s -w $((columns - 2)) <<<"$1" | sed 's/ *$//; s/^/# /'
}

# typed COMMAND: prints it as if typed. A long one is broken between words.
typed() {
    local line="\$ $1" place
    while ((${#line} > columns)); do
        place=${line:0:columns-2}
        place=${place% *}
        # Words that are too long, and those in the indentation, stay as they are.
        [[ -n ${place// /} && $place != '$' && ${#place} -gt 4 ]] || break
        printf '%s \\\n' "$place"
        line="    ${line:${#place}+1}"
    done
    printf '%s\n' "$line"
}

# fitted LINE: what of a line of output fits.
fitted() {
    if ((${#1} > columns)); then printf '%s…\n' "${1:0:columns-1}"; else printf '%s\n' "$1"; fi
}

# show COMMAND: prints it as if typed, runs it, shows its output as it comes and keeps it in $output, its exit code in
# $status, and how long the first and the last line took in $first_ms and $last_ms.
show() {
    local line start=${EPOCHREALTIME/./}
    typed "$1"
    : >"$work/output"
    first_ms=-1 last_ms=-1
    while IFS= read -r line; do
        last_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
        ((first_ms >= 0)) || first_ms=$last_ms
        printf '%s\n' "$line" >>"$work/output"
        fitted "$line"
    done < <(eval "$1" 2>&1 || echo "exit code: $?")
    output=$(<"$work/output")
    status=0
    [[ $output =~ exit\ code:\ ([0-9]+)$ ]] && status=${BASH_REMATCH[1]}
    return 0
}

# expect STATUS PATTERN...: of the last command; patterns as in [[ ]].
expect() {
    local wanted=$1 pattern
    shift
    [[ $status == "$wanted" ]] || differs "exit code $status instead of $wanted"
    for pattern in "$@"; do
        # shellcheck disable=SC2053
        [[ $output == $pattern ]] || differs "the output does not match: $pattern"
    done
}

# within SECONDS COMMAND...: until it succeeds.
within() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < deadline)) || return 1
        sleep 0.02
    done
}

ended() {
    ! kill -0 "$1" 2>/dev/null
}

lines_in() {
    [[ $(wc -l <"$1") -ge $2 ]]
}

start() {
    local command="rxd --config $work/config --socket $RXD_SOCKET --state $work/state"
    typed "$command &"
    $command >>"$work/rxd.log" 2>&1 &
    daemon=$!
}

stop() {
    printf '$ kill -TERM %s\n' "$daemon"
    kill -TERM "$daemon"
    within 60 ended "$daemon" || differs "rxd does not stop"
    status=0
    wait "$daemon" || status=$?
    daemon=
    ((status == 0)) || differs "rxd stopped with exit code $status"
    [[ ! -e $RXD_SOCKET ]] || differs "rxd left its socket behind"
}

subscribed() {
    [[ $(rxctl status | grep -o '"subscriptions":[0-9]*') == '"subscriptions":1' ]]
}

# follow COMMAND LINES: in the background into head, whose output is in $work/watched when `followed` returns.
follow() {
    typed "$1 | head -n $2 > watched &"
    # Not a pipe: this is the one to be ended if something differs.
    $1 > >(head -n "$2" >"$work/watched") 2>&1 &
    reader=$!
    within 60 subscribed || differs "nothing is followed"
}

followed() {
    within 60 ended "$reader" || differs "the end of head does not end it"
    status=0
    wait "$reader" || status=$?
    reader=
    ((status == 141)) || differs "exit code $status of what lost its reader"
    show "cat $work/watched"
}

say "The daemon, on a socket of its own."
mkdir -p "$work/state" "$work/config/conf.d" "$work/pages"
cp -r examples/demo/rxd.toml examples/demo/schemas "$work/config"
start

say "What it offers. --wait waits for a daemon that is not up yet."
show "rxctl --wait 60s list"
expect 0 '*"echo"*' '*"ticks"*' '*"fail"*'

say "In the background, someone watches the action ticks: what it yields, and whether it is executing."
watch="rxctl subscribe ticks --snapshot --channel elements,executing --count 5"
typed "$watch > watched &"
: >"$work/watched"
$watch >"$work/watched" 2>&1 &
reader=$!
within 60 lines_in "$work/watched" 1 || differs "the subscription gives no snapshot"

say "An action that streams: its elements appear while it runs, 300 ms apart."
# Again if this script was too slow to see the first one when it came.
for _ in {1..5}; do
    show "rxctl execute ticks '{\"count\":3,\"interval\":\"300ms\"}'"
    expect 0
    [[ $(wc -l <"$work/output") == 3 ]] || differs "not three elements"
    ((last_ms - first_ms < 500)) || break
done
((last_ms - first_ms >= 500)) || differs "the elements came all at once, within $((last_ms - first_ms)) ms"

say "What the watcher saw: how things were, then each change."
within 60 ended "$reader" || differs "the subscription does not end by itself"
wait "$reader" || differs "the subscription failed"
reader=
show "cat $work/watched"
[[ $(wc -l <"$work/output") == 6 ]] || differs "not a snapshot and five events"
expect 0 '*"snapshot":*' '*"channel":"executing"*"value":true*"channel":"elements"*"channel":"executing"*"value":false*'
[[ $(grep -c '"channel":"elements"' "$work/output") == 3 ]] || differs "not three elements"

say "Work that fails: the reason on stderr, an exit code that means something."
show "rxctl execute fail '{\"message\":\"no space left\"}'"
expect 1 '*rxctl: *no space left*'

say "A program that fails: its output as elements, then the last words of its standard error."
show "rxctl execute deploy"
expect 1 '"fetch"*"build"*"test"*' '*2 of 40 failed*'

say "Both are kept for later requests."
show "rxctl output deploy --all"
expect 0 '"fetch"*"build"*"test"*2 of 40 failed*'

say "An input that is no JSON, and an action that is not there."
show "rxctl execute echo '{oops'"
expect 2 '*rxctl: *'
show "rxctl execute nothing"
expect 5 '*rxctl: *'

say "One release is under way; others wait their turn, and a disabled action reports who disabled it."
# Again if the first one had ended when the second one was requested.
for _ in {1..5}; do
    show "printf '{\"env\":\"staging\",\"version\":\"%s\"}\\n' v1 v2 | rxctl execute release --each --detach --json"
    [[ $output == *queued* ]] && break
    rxctl wait release
done
expect 0 '*"disposition":"started"*"disposition":"queued"*'
show "rxctl disable release --reason 'the disk is full'"
expect 0 '*"cause":"manual"*'
show "rxctl execute release env=prod version=v3"
expect 3 '*rxctl: release is not enabled: switched off since *: the disk is full*'
show "rxctl enable release"
expect 0
show "rxctl wait release && rxctl history release"
expect 0 '*"state":"completed"*"version":"v1"*"state":"completed"*"version":"v2"*'

if command -v socat >/dev/null; then
    say "No client needed: one JSON object a line."
    typed "request='{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"action.execute\",'"
    typed "request+='\"params\":{\"action\":\"echo\",\"input\":{\"a\":1}}}'"
    request='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":{"a":1}}}'
    show "echo \"\$request\" | socat -t 60 - UNIX:\$RXD_SOCKET"
    expect 0 '*"id":1*' '*"elements":\[{"a":1}\]*'
else
    echo "demo: socat is not installed; one example less" >&2
fi

say "A reactor keeps a state and takes actions: a light switch, written in jq. A reader gets the state, then patches."
show "rxctl state light"
expect 0 '{"on":false,"switched":0}'
follow "rxctl state light --follow --patch" 3
show "rxctl dispatch light toggle"
expect 0 '{"reactor":"light","revision":1}'
show "rxctl dispatch light toggle"
expect 0 '{"reactor":"light","revision":2}'
followed
wanted='{"state":{"on":false,"switched":0},"revision":0}'
wanted+='*{"patch":\[*"on":true*\],"revision":1}*{"patch":\[*"on":false*\],"revision":2}'
expect 0 "$wanted"
[[ $(wc -l <"$work/output") == 3 ]] || differs "not three lines"

say "What is no action changes nothing."
show "rxctl dispatch light blink"
expect 2 '*rxctl: /action: must be one of "on", "off", "toggle"*'
show "rxctl state light"
expect 0 '{"on":false,"switched":2}'

say "A task list. A patch is as long as the change, not as the list."
show "rxctl dispatch todo add='water the plants'"
expect 0 '{"reactor":"todo","revision":1}'
show "rxctl dispatch todo add='feed the cat'"
expect 0 '{"reactor":"todo","revision":2}'
follow "rxctl state todo --follow --patch" 2
show "rxctl dispatch todo done:=1"
expect 0 '{"reactor":"todo","revision":3}'
followed
expect 0 '{"state":*"revision":2}*{"patch":\[{"op":"replace","path":"/tasks/0/done","value":true}\],"revision":3}'
show "rxctl dispatch todo move:=2 to:=0"
expect 0 '{"reactor":"todo","revision":4}'
show "rxctl state todo --path /tasks/0"
expect 0 '{"id":2,"title":"feed the cat","done":false}'

say "A reactor executes actions, and makes of what they yield what it likes: here a release, and one that is refused."
show "rxctl dispatch todo release:='{\"env\":\"staging\",\"version\":\"v7\"}'"
expect 0 '{"reactor":"todo","revision":5}'
show "rxctl dispatch todo release:='{\"env\":\"nowhere\",\"version\":\"v7\"}'"
expect 0 '{"reactor":"todo","revision":6}'
show "rxctl state todo --path /tasks/2/title; rxctl state todo --path /tasks/3/title"
expect 0 '"released v7 to staging"*"release again: */env: must be one of *'
show "rxctl state light; rxctl state todo"
before=$output

say "Rules refuse what does not fit the state, with the reason."
show "rxctl dispatch order ship"
expect 3 'rxctl: order refuses the action: cannot ship: new (notEnabled)*'
show "rxctl dispatch order pay && rxctl dispatch order ship"
expect 0 '*"revision":2}'

say "Work that starts on its own: every second, and when files in a folder change. A hundred saves are one element."
cat >"$work/config/conf.d/streams.toml" <<TOML
[action.clock]
run = ["date", "-u", "+%T"]
on  = { every = "1s" }

[action.count]
run     = ["sh", "-c", "ls $work/pages | wc -l"]
overlap = "latest"
on      = "saves"

[stream.saves]
description = "Someone has saved a page"
path        = "$work/pages"
through     = [{ debounce = "300ms" }]
TOML
show "cat $work/config/conf.d/streams.toml"
show "rxctl reload"
expect 0 '*"added":\["clock","count"\]*'
show "rxctl subscribe clock --channel elements --values --count 2"
expect 0 '"??:??:??"*"??:??:??"'
show "touch $work/pages/{1..100}.md"
expect 0 ''
# Another element comes before if the saves stop for 300 ms in between.
show "rxctl subscribe count --channel elements --values --from start --until '. == \"100\"'"
expect 0 '*"100"'
rxctl wait count

say "Pictures of it: what starts what, and what has happened."
show "rxctl graph saves"
expect 0 '*path*debounce 300ms*action count*'
show "rxctl marbles saves --last 1m"
expect 0 '*saves*a*count*>*✓*execution succeeded*'

say "All of it on one screen; without --once it is live, and keys execute, cancel, disable, and go back in time."
show "rxctl top --once"
expect 0 'rxd *in flight*● live*ACTION*LAST 20 ENDS*deploy*✕*REACTOR*light*revision*'

say "With persist = true its state outlives the daemon."
stop
start
show "rxctl --wait 60s state light; rxctl state todo"
expect 0 '{"on":false,"switched":2}*{"next":5,"tasks":\[{"id":2,*{"id":1,*"done":true},{"id":3,*{"id":4,*\]}'
[[ $output == "$before" ]] || differs "the states are not those from before"

say "It stops on request."
stop
echo "rxd stopped with exit code 0, and its socket is gone."
