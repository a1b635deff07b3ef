internal import Rx

extension SharedSequenceConvertibleType {
    /// The shared result of `operator` on the sequence as an observable; the operator confines its closures.
    func lift<Result: RxSendable>(
        _ operator: (Observable<Element>, Confinement) -> Observable<Result>
    ) -> SharedSequence<SharingStrategy, Result> {
        lift(to: SharingStrategy.self, `operator`)
    }

    /// The result of `operator` on the sequence as an observable, shared by the strategy of inner sequences; the
    /// operator confines its closures.
    func lift<Strategy: SharingStrategyProtocol, Result: RxSendable>(
        to strategy: Strategy.Type, _ operator: (Observable<Element>, Confinement) -> Observable<Result>
    ) -> SharedSequence<Strategy, Result> {
        let sequence = asSharedSequence()
        let confinement = Confinement.of(sequence.confinement)
        return SharedSequence<Strategy, Result>(`operator`(sequence.source, confinement), confinement)
    }
}
