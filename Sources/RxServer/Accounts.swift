internal import RxHost
internal import RxLoop

/// The accounts of the users that are connected. Used on the loop.
final class Accounts {
    private var byUser: [UInt32: Account] = [:]
    private let memory: UserMemoryTable
    private let limit: Int
    private let patience: Duration
    private let loop: EventLoop

    /// - Parameters:
    ///   - memory: what the host keeps for each user.
    ///   - limit: the most bytes that may be charged to one user.
    ///   - patience: how long a user's requests and lines may wait for the user's other ones.
    init(_ memory: UserMemoryTable, limit: Int, patience: Duration, loop: EventLoop) {
        self.memory = memory
        self.limit = limit
        self.patience = patience
        self.loop = loop
    }

    /// The accounts, ordered by user; also of those for whom only the host keeps something.
    var all: [Account] {
        let users = Set(byUser.keys).union(memory.users)
        return users.sorted().map { self[$0] }
    }

    /// Something that the host kept for a user is freed.
    func freed(for uid: UInt32) { byUser[uid]?.longAnswers.lookAgain() }

    /// The account of a user, which is made if there is none.
    subscript(uid: UInt32) -> Account {
        if let account = byUser[uid] { return account }
        // Those to which something was charged when their last connection ended.
        byUser = byUser.filter { !$0.value.isIdle }
        let account = Account(memory[uid], limit: limit, patience: patience, loop: loop)
        byUser[uid] = account
        return account
    }

    /// Forgets an account that nothing is charged to.
    func release(_ account: Account) {
        guard account.isIdle, byUser[account.uid] === account else { return }
        byUser[account.uid] = nil
    }
}
