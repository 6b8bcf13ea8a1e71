import sys
numbers = list(range(1000))
total = 0
for i in range(int(sys.argv[1])):
    total = total + numbers[i % 1000]
print(total)
