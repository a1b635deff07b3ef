internal import ArgumentParser

/// A command of rxctl.
protocol RxctlCommand: ParsableCommand {
    var options: GlobalOptions { get }
}
