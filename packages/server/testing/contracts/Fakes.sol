// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token that calls itself USDG and is worth nothing.
contract FakeToken {
    string public constant name = "Global Dollar";
    string public constant symbol = "USDG";
    uint8 public decimals;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function setDecimals(uint8 value) external {
        decimals = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Says what others say.
contract Liar {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferOfOne(address indexed from, address indexed to, uint256 indexed id);

    /// The event of a transfer, of a token that is not there.
    function lie(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    /// The same event with a fourth topic, as tokens that are one of a kind have it.
    function lieOfOne(address from, address to, uint256 id) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly {
            log4(0, 0, topic, from, to, id)
        }
    }

    /// A true transfer and a false one in the same transaction.
    function mixed(address token, address to, uint256 value) external {
        (bool isPaid,) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, value));
        require(isPaid, "not paid");
        emit Transfer(msg.sender, to, value * 1000);
    }
}
