"""Reloads one after the other, as fast as the daemon answers."""

from .processes import Counters
from .wire import Client, Fault

CHANGING = 10  # actions and reactors that each reload changes, beside as many that stay
STAYING = 40  # reactors that stay, too
FAULTY = '[reactor.bad]\ninitial = 0\nmutate = [{ mutation = ".action |" }]\nreduce = "."\n'


def action(name, number):
    return f'[action.{name}]\nrun = ["echo", "{number}"]\n'


def reactor(name, number):
    return f'[reactor.{name}]\ninitial = {number}\nmutate = [{{ mutation = ".action" }}]\nreduce = ".mutation"\n'


def configuration(number):
    """Each third is faulty, and refused after everything before the fault was read."""
    kinds = [action, action, action, reactor]
    parts = [kinds[place % 4](f"changing{place}", number) for place in range(CHANGING)]
    parts += [kinds[place % 4](f"staying{place}", 0) for place in range(CHANGING)]
    parts += [reactor(f"reactor{place}", 0) for place in range(STAYING)]
    return "".join(parts) + (FAULTY if is_faulty(number) else "")


def is_faulty(number):
    return number % 3 == 2


def counters():
    return Counters("reloads")


def run(daemon, reloads, count):
    """Reloads as root. The daemon was started with `configuration(-3)`."""
    with Client(daemon.path) as client:
        for number in range(reloads):
            daemon.configure(configuration(number))
            check(number, client.call("server.reload"))
            count.reloads += 1


def check(number, answer):
    if is_faulty(number):
        name = answer.get("error", {}).get("data", {}).get("name")
        if name != "invalidParams":
            raise Fault(f"reload {number}, of a faulty configuration, was answered with {str(answer)[:200]}")
    elif len(answer.get("result", {}).get("changed", [])) != CHANGING:
        raise Fault(f"reload {number} was answered with {str(answer)[:200]}")
