// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The history of a pool whose price has been the same for as long as it tells of.
contract Pool {
    address public token0;
    int24 public tick;
    uint32 public reach;

    function set(address first, int24 at, uint32 seconds_) external {
        token0 = first;
        tick = at;
        reach = seconds_;
    }

    function observe(uint32[] calldata ago) external view returns (int56[] memory ticks, uint160[] memory liquidity) {
        ticks = new int56[](ago.length);
        liquidity = new uint160[](ago.length);
        for (uint256 at = 0; at < ago.length; at++) {
            require(ago[at] <= reach, "OLD");
            ticks[at] = int56(tick) * int56(uint56(block.timestamp - ago[at]));
        }
    }
}
