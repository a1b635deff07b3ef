import Rx
import RxAction

struct Credentials: Sendable {
    let name: String
    let password: String

    var areComplete: Bool { !name.isEmpty && password.count >= 8 }
}

struct WrongPassword: Error {}

/// A view model of the kind that most tutorials begin with: fields and taps go in, what the view shows comes out, and
/// the action between them decides when a tap counts.
final class LoginViewModel: Sendable {
    struct Input: Sendable {
        let name: Observable<String>
        let password: Observable<String>
        let tap: Observable<Void>
    }

    struct Output: Sendable {
        /// Both fields are filled in and no login is under way.
        let isLoginEnabled: Observable<Bool>
        let isBusy: Observable<Bool>
        let greeting: Observable<String>
        /// A tap that does not count has no message.
        let message: Observable<String>
    }

    private let login: @Sendable (Credentials) -> Single<String>
    private let bag = DisposeBag()

    /// - Parameter login: gives the user's full name, or fails.
    init(login: @escaping @Sendable (Credentials) -> Single<String>) {
        self.login = login
    }

    func transform(input: Input) -> Output {
        let credentials = Observable.combineLatest(input.name, input.password) { Credentials(name: $0, password: $1) }
            .share(replay: 1)
        let login = Action(enabledIf: credentials.map(\.areComplete), workFactory: self.login)
        // The binding keeps the action, the bag keeps the binding.
        input.tap.withLatestFrom(credentials).bind(to: login).disposed(by: bag)
        return Output(
            isLoginEnabled: login.enabled, isBusy: login.executing, greeting: login.elements.map { "Hello, \($0)" },
            message: login.underlyingError.map { $0 is WrongPassword ? "Wrong name or password" : "Try again later" })
    }
}
