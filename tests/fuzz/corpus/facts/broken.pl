parent(ann, Bob). parent(x
