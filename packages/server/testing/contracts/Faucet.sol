// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Pays an amount that others may change before the payment is included: the same transaction then pays another one.
contract Faucet {
    uint256 public amount = 5_000_000;

    function setAmount(uint256 next) external {
        amount = next;
    }

    function pay(address token, address to) external {
        Token(token).transfer(to, amount);
    }
}
