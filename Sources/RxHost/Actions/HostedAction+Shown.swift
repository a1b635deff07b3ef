package import RxJSON

extension HostedAction {
    /// An input without the values that the action's schema marks `writeOnly`.
    package func shown(_ input: RawJSON) -> RawJSON { definition.shown(input) }
}
