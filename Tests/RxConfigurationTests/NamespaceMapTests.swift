import Testing

@testable import RxConfiguration

@Suite("The map of a user namespace")
struct NamespaceMapTests {
    @Test("without a namespace every id can be distinguished, also the one that stands for hidden ones elsewhere")
    func whole() throws {
        for map in [.whole, try #require(NamespaceMap("         0          0 4294967295\n"))] {
            #expect(map.isWhole)
            #expect([0, 1, 1000, 65_534, 4_294_967_294].allSatisfy(map.distinguishes))
        }
    }

    @Test("with PrivateUsers=yes only root and the service's own user can")
    func privateUsers() throws {
        let map = try #require(NamespaceMap("         0          0          1\n       998        998          1\n"))
        #expect(!map.isWhole)
        #expect(map.distinguishes(0) && map.distinguishes(998))
        #expect(![1, 997, 999, 1000, 65_534].contains(where: map.distinguishes))
    }

    @Test("in a container that has its own 65536 ids, the last but one stands for others too")
    func container() throws {
        let map = try #require(NamespaceMap("0 100000 65536\n"))
        #expect(map.distinguishes(1000) && map.distinguishes(65_533) && map.distinguishes(65_535))
        #expect(!map.distinguishes(65_534) && !map.distinguishes(65_536))
    }

    @Test("lines in any order that leave no gap hide nobody; one id left out hides somebody")
    func parts() throws {
        #expect(try #require(NamespaceMap("1000 1000 4294966295\n0 0 1000\n")).isWhole)
        let gap = try #require(NamespaceMap("0 0 1000\n1001 1001 4294966294\n"))
        #expect(!gap.isWhole && !gap.distinguishes(1000) && gap.distinguishes(999) && gap.distinguishes(1001))
        #expect(!gap.distinguishes(65_534))
    }

    @Test("an empty map maps nobody; a text that is no map is none")
    func malformed() throws {
        let empty = try #require(NamespaceMap(""))
        #expect(!empty.isWhole && !empty.distinguishes(0))
        for text in ["0 0", "0 0 0", "0 0 1 2", "a 0 1", "0 b 1", "-1 0 1", "2 0 4294967295", "0 0 4294967296"] {
            #expect(NamespaceMap(text) == nil, "\(text)")
        }
    }
}
