public import Rx
public import RxJSON
public import RxProtocol

extension Client {
    /// The elements of an execution that each subscription asks for once.
    ///
    /// Completes and fails as `ExecutionElements` does. Disposing withdraws, so that the last one to do so cancels the
    /// execution, unless `onDisconnect` is `.detach`. Observers are called in order, on no thread in particular; one that
    /// blocks costs bounded memory, and then elements, which is an error.
    public func execute(
        _ action: String, _ input: JSONValue, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> Observable<RawJSON> {
        elements(of: action, input, onDisconnect: onDisconnect, timeout: timeout, key: key).asObservable()
    }

    /// As above, with JSON as it stands, or no input at all.
    public func execute(
        _ action: String, _ input: RawJSON? = nil, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> Observable<RawJSON> {
        elements(of: action, input, onDisconnect: onDisconnect, timeout: timeout, key: key).asObservable()
    }

    /// The events of actions, from each subscription on, `end` included; `"*"` stands for all actions.
    ///
    /// Without `channels` the daemon's default ones.
    public func subscribe(to actions: String..., channels: [Channel] = []) -> Observable<StreamElement> {
        events(SubscribeRequest(.actions(actions), channels: channels))
    }

    /// The same for any request: other beginnings, executions, the daemon's buffer.
    public func events(_ request: SubscribeRequest) -> Observable<StreamElement> {
        .create { observer in
            let task = Task { [self] in
                do throws(ClientError) {
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
