// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IToken {
    function transfer(address to, uint256 value) external returns (bool);
}

/// Pays many at once, as exchanges do.
contract BatchPayer {
    receive() external payable {}

    function payTokens(address token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 at = 0; at < to.length; at++) require(IToken(token).transfer(to[at], values[at]), "not paid");
    }

    function payEther(address[] calldata to, uint256[] calldata values) external payable {
        for (uint256 at = 0; at < to.length; at++) {
            (bool isPaid,) = to[at].call{value: values[at]}("");
            require(isPaid, "not paid");
        }
    }
}

/// Moves ether in ways that look alike from afar.
contract Forwarder {
    receive() external payable {}

    /// An inner call with value.
    function forward(address payable to) external payable {
        (bool isPaid,) = to.call{value: msg.value}("");
        require(isPaid, "not paid");
    }

    /// A delegate call that inherits the value of its caller and moves nothing.
    function delegate(address to) external payable {
        (bool isDone,) = to.delegatecall("");
        require(isDone, "not done");
    }

    /// A call with value inside another call that fails: nothing stays moved.
    function tryAndFail(address payable to) external payable {
        try this.payAndFail{value: msg.value}(to) {
            revert("it should have failed");
        } catch {}
    }

    function payAndFail(address payable to) external payable {
        (bool isPaid,) = to.call{value: msg.value}("");
        require(isPaid, "not paid");
        revert("after all");
    }

    /// Pays by ending a contract that was made in the same transaction.
    function payByEnd(address payable to) external payable {
        new Ender{value: msg.value}(to);
    }
}

contract Ender {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
