# The script, called with paid or shipped. If it is killed, the old state is there or the new one.
cd /srv/order
exec 9<.
flock 9
case "$(cat state) $1" in
    "new paid" | "paid shipped") ;;
    *)
        echo "it is $(cat state)" >&2
        exit 3
        ;;
esac
echo "$1" >next
mv next state
logger -t order "$USER $1"
# typed
order paid
journalctl -t order
