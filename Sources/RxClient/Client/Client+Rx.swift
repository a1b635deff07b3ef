public import Rx
public import RxJSON
public import RxProtocol

extension Client {
    /// The elements of an execution; each subscription starts one execution.
    ///
    /// Completes and fails as `ExecutionElements` does. Disposing withdraws from the execution, which is canceled when
    /// the last requester withdraws, unless `onDisconnect` is `.detach`. Observers are called in order, on no
    /// particular thread. An observer that blocks costs bounded memory; when that is used up, the sequence fails with
    /// `limitReached`.
    ///
    /// - Parameters:
    ///   - action: the action's name.
    ///   - input: its input.
    ///   - onDisconnect: whether the execution survives this subscription.
    ///   - timeout: longest the work may take, as on the wire ("500ms", "10s"); the action's own limit applies too.
    ///   - key: makes a repetition harmless, see `ExecuteRequest.key`.
    public func execute(
        _ action: String, _ input: JSONValue, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> Observable<RawJSON> {
        elements(of: action, input, onDisconnect: onDisconnect, timeout: timeout, key: key).asObservable()
    }

    /// The elements of an execution, with JSON text as its input, or no input; otherwise like the other `execute`.
    public func execute(
        _ action: String, _ input: RawJSON? = nil, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> Observable<RawJSON> {
        elements(of: action, input, onDisconnect: onDisconnect, timeout: timeout, key: key).asObservable()
    }

    /// The events of actions from now on, `end` included.
    ///
    /// - Parameters:
    ///   - actions: names, or `"*"` alone for all actions.
    ///   - channels: the channels to receive; empty: the daemon's default.
    public func subscribe(to actions: String..., channels: [Channel] = []) -> Observable<StreamElement> {
        events(SubscribeRequest(.action(actions), channels: channels))
    }

    /// The events of any subscription, `end` included; each subscription to the observable opens its own stream.
    public func events(_ request: SubscribeRequest) -> Observable<StreamElement> {
        .create { observer in
            let task = Task { [self] in
                do {
                    for try await element in try await subscribe(request) {
                        if Task.isCancelled { return }
                        observer.onNext(element)
                    }
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            return Disposables.create(with: task.cancel)
        }
    }
}
