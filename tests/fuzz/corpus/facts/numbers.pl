age(ann, 12). age(bob, -1.5e3). age(c, 0x1f).
