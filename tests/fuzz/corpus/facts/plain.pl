parent(ann, 'Bob').
parent('Bob', tom).
