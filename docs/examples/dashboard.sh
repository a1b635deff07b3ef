#!/bin/bash
# dashboard.sh [SECONDS]: the actions and the newest executions, drawn again in place every SECONDS (1); Ctrl-C ends it
trap 'printf "\e[?25h\e[?1049l"' EXIT
trap exit INT TERM HUP
printf '\e[?1049h\e[?25l'
frame='
def cells: if . < 768 then 1 elif . < 880 or . == 8205 or . >= 65024 and . < 65040 then 0   # combining marks; wide ones
    elif . < 4352 or . >= 4448 and . < 11904 or . >= 42192 and . < 44032 or . >= 55204 and . < 63744 then 1
    elif . < 64256 or . >= 65072 and . < 65136 or . >= 65281 and . < 65377 or . >= 127744 then 2 else 1 end;
def fit($n): . // "" | tostring | gsub("[[:cntrl:]]"; "?") | explode | (map(cells) | add // 0) as $all
    | if $all <= $n then implode + " " * ($n - $all) else reduce .[] as $c ({left: ($n - 1)};
        ($c | cells) as $cells | if .left < $cells then .pad //= .left | .left = -1
        else .left -= $cells | .kept += [$c] end) | (.kept // [] | implode) + "…" + " " * (.pad // .left) end;
def seconds: (.[:19] + "Z" | fromdate) + (.[20:23] | tonumber / 1000);
def clock: .[:19] + "Z" | fromdate | strflocaltime("%H:%M:%S");
def lasted: if .startedAt then ((.endedAt | if . then seconds else now end) - (.startedAt | seconds)) * 10
    | round / 10 | "\(.) s" else "" end;
def state: if .executing then "▶ executing" elif .enabled then "  enabled"
    else "✗ " + (.reason.reason // .reason.cause) end + if .queued > 0 then ", \(.queued) queued" else "" end;
def mark: {completed: "✓", executing: "▶", queued: "…"}[.state] // "✗";
[inputs] as $all
| ($all | map(select(.overlap)) | sort_by(.executing | not)) as $actions
| ($all | map(select(.queuedAt)) | reverse) as $runs
| "rxd  \(now | strflocaltime("%F %T"))   actions: \($actions | length), executing: "
    + "\($actions | map(select(.executing)) | length), queued: \($actions | map(.queued) | add // 0)",
  ($all[] | select(.data.name).message), "",
  "ACTION               STATE",
  ($actions[:$rows / 2 - 2][] | "\(.action | fit(20)) \(state)"), "",
  "WHEN      ACTION               LASTED    END",
  ($runs[] | "\(.queuedAt | clock)  \(.action | fit(20)) \(lasted | fit(9)) \(mark) \(.state)"
    + if .error then ": \(.error.message)" else "" end)
| fit($columns)'
while :; do
    read -r rows columns < <(stty size)
    lines=$({ rxctl list --json && rxctl history --limit "$rows" --json; } 2>&1 |
        jq -rn --argjson rows "$rows" --argjson columns "$columns" "$frame" | head -n "$((rows - 1))")
    printf '\e[H%s\e[J' "$lines"
    sleep "${1:-1}"
done
